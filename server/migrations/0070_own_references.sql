-- An organization's reference is unique among those it chose. What the service names itself (return:<payoutId> and
-- review:<itemId>) happens once by its posting key, and can neither take a reference from anybody nor find it taken.
drop index transfers_reference_taken;
create unique index transfers_reference_taken on transfers (organization_id, reference)
  where direction = 'out' and kind in ('conversion', 'organization');
