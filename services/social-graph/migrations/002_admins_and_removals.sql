-- Members can be removed, invitations declined, and a group has admins beside its creator.

ALTER TABLE group_member DROP CONSTRAINT group_member_phase_check;
ALTER TABLE group_member ADD CONSTRAINT group_member_phase_check
  CHECK (phase IN ('invited', 'declined', 'member', 'left', 'removed'));
ALTER TABLE group_member ADD COLUMN admin boolean NOT NULL DEFAULT false;
