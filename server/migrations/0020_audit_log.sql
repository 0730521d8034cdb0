-- Who did what: acts of members and operators, of keys where they touch secrets. Entries of an organization are numbered
-- under a row lock, dense and in commit order, and each carries a keyed digest over itself and the digest before it: a
-- changed, missing or added entry is named exactly.

create table audit_log (
  organization_id uuid        not null,
  id              uuid        not null,
  number          bigint      not null,
  at              timestamptz not null,
  actor_type      text        not null,
  actor_id        uuid,                                    -- null: an operator at the command line
  actor_label     text,                                    -- the member's e-mail address then; members come and go
  action          text        not null,                    -- see src/audit-log/actions.ts
  resource_type   text        not null,
  resource_id     text        not null,
  ip              text,
  changes         text        not null,                    -- the exact JSON the digest covers
  mac             bytea       not null,
  key_id          text        not null,                    -- the master key the digest was made under
  constraint audit_log_pkey         primary key (organization_id, id),
  constraint audit_log_dense        unique (organization_id, number),
  constraint audit_log_organization foreign key (organization_id) references organizations,
  constraint audit_log_actor_known  check (actor_type in ('member', 'key', 'operator')),
  constraint audit_log_actor_named  check ((actor_type = 'operator') = (actor_id is null))
);

create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function refuse_change();

-- Where an organization's log ends: the number and the digest the next entry goes on from.
create table audit_log_heads (
  organization_id uuid   not null,
  entries         bigint not null,
  mac             bytea  not null,
  constraint audit_log_heads_pkey         primary key (organization_id),
  constraint audit_log_heads_organization foreign key (organization_id) references organizations
);
