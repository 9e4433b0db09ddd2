"""What everybody must be told, keep and find, computed from the event logs by brute force, as timelines.py does."""

from collections import defaultdict

import timelines



class Campus(timelines.Campus):
    """Beside what lies in timelines: who has been told of what when, and what he has said about that."""

    def __init__(self):
        super().__init__()
        self.authors = {}  # moment -> author
        self.parents = {}  # comment -> (its author, the comment that it answers)
        self.told = defaultdict(dict)  # owner -> (kind, moment, actor, comment) -> time, the first one
        self.between = {}  # two accounts -> (kind, owner, actor, time)
        self.seen = defaultdict(str)
        self.mutes = {}
        self.bookmarked = defaultdict(list)  # newest last
        self.pinned = {}
        self.closed = set()
        self.writers = set()  # who writes the texts that are looked for: others write into the same installation

    def tell(self, owner, key, at):
        if owner and owner != key[2]:
            self.told[owner].setdefault(key, at)

    def on_AccountClosed(self, event):  # pylint: disable=invalid-name
        self.closed.add(event["account_id"])

    def on_GroupMemberRemoved(self, event):  # pylint: disable=invalid-name
        self.on_GroupLeft(event)

    def on_MomentPublished(self, event):
        super().on_MomentPublished(event)
        self.authors[event["moment_id"]] = event["author"]

    def on_MomentLiked(self, event):
        super().on_MomentLiked(event)
        key = ("like", event["moment_id"], event["account_id"], None)
        self.tell(event.get("moment_author"), key, event["liked_at"])

    def on_CommentAdded(self, event):
        super().on_CommentAdded(event)
        moment, comment, author = event["moment_id"], event["comment_id"], event["author"]
        self.parents[comment] = (author, event["parent_id"])
        answered = event.get("parent_author")
        self.tell(answered, ("reply", moment, author, comment), event["written_at"])
        if answered != event["moment_author"]:
            self.tell(event["moment_author"], ("comment", moment, author, comment), event["written_at"])

    def on_Followed(self, event):
        super().on_Followed(event)
        self.tell(event["followee"], ("follow", None, event["follower"], None), event["recorded_at"])

    def set_between(self, owner, actor, kind, event):
        self.between[frozenset((owner, actor))] = (kind, owner, actor, event["recorded_at"])

    def on_ContactRequested(self, event):  # pylint: disable=invalid-name
        self.set_between(event["to"], event["from"], "contact-request", event)

    def on_ContactAccepted(self, event):
        super().on_ContactAccepted(event)
        self.set_between(event["from"], event["to"], "contact", event)

    def on_ContactDeclined(self, event):  # pylint: disable=invalid-name
        self.between.pop(frozenset((event["from"], event["to"])), None)

    def on_ContactRequestWithdrawn(self, event):  # pylint: disable=invalid-name
        self.on_ContactDeclined(event)

    def on_ContactRemoved(self, event):
        super().on_ContactRemoved(event)
        self.between.pop(frozenset((event["by"], event["other"])), None)

    def on_NotificationsSeen(self, event):  # pylint: disable=invalid-name
        self.seen[event["reader"]] = event["up_to"]

    def on_NotificationsMuted(self, event):  # pylint: disable=invalid-name
        self.mutes[event["owner"]] = event

    def on_MomentBookmarked(self, event):  # pylint: disable=invalid-name
        self.bookmarked[event["owner"]].append((event["bookmarked_at"], event["moment_id"]))

    def on_BookmarkRemoved(self, event):  # pylint: disable=invalid-name
        owner = event["owner"]
        self.bookmarked[owner] = [one for one in self.bookmarked[owner] if one[1] != event["moment_id"]]

    def on_PinnedMomentChanged(self, event):  # pylint: disable=invalid-name
        self.pinned[event["author"]] = event["moment_id"]

    def is_visible(self, viewer, moment):
        """By whatever way the viewer comes to the moment: a timeline is one, a list of his another."""
        author = moment["author"]
        if moment["moment_id"] in self.gone or author in self.closed:
            return False
        if author == viewer:
            return True
        if viewer in self.hidden_from[author]:
            return False
        return self.is_for_contact(viewer, moment) if author in self.contacts[viewer] else moment["audience"] == "public"

    def find(self, number):
        author = self.authors.get(number)
        return next((one for one in self.moments[author] if one["moment_id"] == number), None)

    def meets(self, viewer, actor, moment):
        if actor in self.closed:
            return False
        return actor in (viewer, moment["author"]) or actor in self.contacts[viewer]

    def is_told(self, owner, kind, number, actor, comment):
        if actor in self.closed:
            return False
        if kind == "follow":
            return owner in self.following[actor]
        moment = self.find(number)
        if not moment or not self.is_visible(owner, moment) or not self.meets(owner, actor, moment):
            return False
        if kind == "like":
            return actor in self.likers[number]
        if comment in self.gone:
            return False
        parent = self.parents[comment][1]
        return kind == "comment" or parent not in self.gone

    def notifications(self, owner):
        """Of each day, kind and moment one: [kind, moment, people, unread], newest first; of a day equal ones sorted."""
        mutes = self.mutes.get(owner, {"kinds": [], "persons": [], "moment_ids": []})
        doings = list(self.told[owner].items())
        for kind, to, actor, at in self.between.values():
            if to == owner and actor not in self.closed:
                doings.append(((kind, None, actor, None), at))
        groups = defaultdict(list)
        for (kind, number, actor, comment), at in doings:
            if kind in mutes["kinds"] or actor in mutes["persons"] or number in mutes["moment_ids"]:
                continue
            if kind.startswith("contact") or self.is_told(owner, kind, number, actor, comment):
                groups[at[:10], kind, number].append((at, actor))
        told = []
        for (_, kind, number), of_group in groups.items():
            newest = max(at for at, _ in of_group)
            people = len({actor for _, actor in of_group})
            told.append((newest, [kind, number, people, newest > self.seen[owner]]))
        return [one for _, one in sorted(told, key=lambda entry: entry[0], reverse=True)]

    def bookmarks(self, owner):
        """The ids of those that the owner may see, the newest bookmark first."""
        found = [number for _, number in sorted(self.bookmarked[owner], reverse=True)]
        return [number for number in found if self.is_visible(owner, self.find(number))]

    def pinned_of(self, owner):
        moment = self.find(self.pinned.get(owner))
        return moment["moment_id"] if moment and self.is_visible(owner, moment) else None

    def found(self, viewer):
        """Of what the viewer may see of the load's: what has the text that it began with, and what has another."""
        everything = [moment for writer in self.writers for moment in self.moments[writer]]
        visible = [moment["moment_id"] for moment in everything if self.is_visible(viewer, moment)]
        visible.sort(key=int, reverse=True)
        return [one for one in visible if not self.edits[one]], [one for one in visible if self.edits[one]]

    def expected(self, viewer):
        """What read_back.cpp reads, by its names."""
        untouched, edited = self.found(viewer)
        told = self.notifications(viewer)
        return {
            "timeline": self.timeline(viewer),
            "notifications": told,
            "untold": min(sum(unread for *_, unread in told), 100),
            "bookmarks": self.bookmarks(viewer),
            "pinned": self.pinned_of(viewer),
            "found": untouched,
            "topic": untouched,
            "edited": edited,
        }
