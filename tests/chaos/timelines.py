"""What every timeline must be, computed from the event logs by brute force: a second opinion on the engine."""

import base64
import json
from collections import defaultdict


def account_of(token):
    """The account id in an access token; whether it is good is not asked here."""
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["sub"]


class Campus:
    """Events are applied in the order of their logs; events of different streams do not meet here."""

    def __init__(self):
        self.contacts = defaultdict(set)
        self.following = defaultdict(set)
        self.tagged = defaultdict(set)  # (owner, tag) -> accounts
        self.gone = set()  # deleted tags, dissolved groups, deleted moments
        self.members = defaultdict(set)
        self.hides = defaultdict(set)
        self.hidden_from = defaultdict(set)
        self.moments = defaultdict(list)  # author -> events
        self.likers = defaultdict(set)  # moment -> accounts
        self.commenters = defaultdict(list)  # moment -> (comment, account)
        self.edits = defaultdict(int)

    def apply(self, kind, event):
        handler = getattr(self, f"on_{kind}", None)
        if handler:
            handler(event)

    def on_ContactAccepted(self, event):  # pylint: disable=invalid-name
        self.contacts[event["from"]].add(event["to"])
        self.contacts[event["to"]].add(event["from"])

    def on_ContactRemoved(self, event):  # pylint: disable=invalid-name
        self.contacts[event["by"]].discard(event["other"])
        self.contacts[event["other"]].discard(event["by"])

    def on_Followed(self, event):  # pylint: disable=invalid-name
        self.following[event["follower"]].add(event["followee"])

    def on_Unfollowed(self, event):  # pylint: disable=invalid-name
        self.following[event["follower"]].discard(event["followee"])

    def on_ContactTagged(self, event):  # pylint: disable=invalid-name
        self.tagged[event["owner"], event["tag_id"]].add(event["account_id"])

    def on_ContactUntagged(self, event):  # pylint: disable=invalid-name
        self.tagged[event["owner"], event["tag_id"]].discard(event["account_id"])

    def on_TagDeleted(self, event):  # pylint: disable=invalid-name
        self.gone.add(event["tag_id"])

    def on_GroupJoined(self, event):  # pylint: disable=invalid-name
        self.members[event["group_id"]].add(event["account_id"])

    def on_GroupLeft(self, event):  # pylint: disable=invalid-name
        self.members[event["group_id"]].discard(event["account_id"])

    def on_GroupDissolved(self, event):  # pylint: disable=invalid-name
        self.gone.add(event["group_id"])

    def on_MomentSettingChanged(self, event):  # pylint: disable=invalid-name
        owner, other = event["owner"], event["other"]
        (self.hides[owner].add if event["hides_other"] else self.hides[owner].discard)(other)
        (self.hidden_from[owner].add if event["hidden_from_other"] else self.hidden_from[owner].discard)(other)

    def on_MomentPublished(self, event):  # pylint: disable=invalid-name
        self.moments[event["author"]].append(event)

    def on_MomentAudienceChanged(self, event):  # pylint: disable=invalid-name
        for moment in self.moments[event["author"]]:
            if moment["moment_id"] == event["moment_id"]:
                moment.update({key: event[key] for key in ("audience", "group_ids", "tag_ids", "user_ids")})

    def on_MomentDeleted(self, event):  # pylint: disable=invalid-name
        self.gone.add(event["moment_id"])

    def on_MomentEdited(self, event):  # pylint: disable=invalid-name
        self.edits[event["moment_id"]] = event["edit"]

    def on_MomentLiked(self, event):  # pylint: disable=invalid-name
        self.likers[event["moment_id"]].add(event["account_id"])

    def on_MomentUnliked(self, event):  # pylint: disable=invalid-name
        self.likers[event["moment_id"]].discard(event["account_id"])

    def on_CommentAdded(self, event):  # pylint: disable=invalid-name
        self.commenters[event["moment_id"]].append((event["comment_id"], event["author"]))

    def on_CommentDeleted(self, event):  # pylint: disable=invalid-name
        self.gone.add(event["comment_id"])

    def is_listed(self, viewer, moment):
        author = moment["author"]
        tags = (tag for tag in (moment.get("tag_ids") or []) if tag not in self.gone)
        groups = (group for group in (moment.get("group_ids") or []) if group not in self.gone)
        return (
            viewer in (moment.get("user_ids") or [])
            or any(viewer in self.tagged.get((author, tag), ()) for tag in tags)
            or any(viewer in self.members.get(group, ()) for group in groups)
        )

    def is_for_contact(self, viewer, moment):
        match moment["audience"]:
            case "public":
                return True
            case "partly-visible":
                return self.is_listed(viewer, moment)
            case "partly-invisible":
                return not self.is_listed(viewer, moment)
        return False

    def entry(self, viewer, moment):
        """What a viewer reads of a moment: its id, edits, and the likes and comments of those whom he meets."""
        met = {viewer, moment["author"]} | self.contacts[viewer]
        number = moment["moment_id"]
        likers = self.likers[number]
        comments = [one for one, by in self.commenters[number] if by in met and one not in self.gone]
        return [number, self.edits[number], len(likers & met), viewer in likers, len(comments)]

    def timeline(self, viewer):
        """Newest first, each as entry() says."""
        found = list(self.moments[viewer])
        for author in self.contacts[viewer] | self.following[viewer]:
            if author in self.hides[viewer] or viewer in self.hidden_from[author]:
                continue
            is_contact = author in self.contacts[viewer]
            for moment in self.moments[author]:
                if self.is_for_contact(viewer, moment) if is_contact else moment["audience"] == "public":
                    found.append(moment)
        standing = [moment for moment in found if moment["moment_id"] not in self.gone]
        standing.sort(key=lambda moment: int(moment["moment_id"]), reverse=True)
        return [self.entry(viewer, moment) for moment in standing]
