-- Organizations, their members and their API keys. Everything else belongs to one of these organizations.
-- What a caller shows before we know the organization (a key, an e-mail address) is found through a directory table.

create table organizations (
  id                  uuid        not null,
  name                text        not null,
  is_active           boolean     not null default true,
  approval_thresholds jsonb       not null default '{}',   -- minor units per currency, as text
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  constraint organizations_pkey       primary key (id),
  constraint organizations_name_fits  check (length(name) between 1 and 255)
);

create table members (
  organization_id uuid        not null,
  id              uuid        not null,
  email           text        not null,
  name            text        not null,
  role            text        not null,
  password_hash   text,                                    -- null until an invitation is accepted
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint members_pkey         primary key (organization_id, id),
  constraint members_organization foreign key (organization_id) references organizations,
  constraint members_role_known   check (role in ('viewer', 'approver', 'developer', 'admin', 'owner'))
);

-- An e-mail address is one member in the whole deployment.
create table member_directory (
  email_key       text not null,                           -- lower case
  organization_id uuid not null,
  member_id       uuid not null,
  constraint member_directory_pkey   primary key (email_key),
  constraint member_directory_member foreign key (organization_id, member_id) references members on delete cascade
);

create table api_keys (
  organization_id uuid        not null,
  id              uuid        not null,
  name            text        not null,
  prefix          text        not null,
  last_four       text        not null,
  scopes          text[]      not null,
  created_by      uuid,                                    -- a member; null for the key of the first start
  created_at      timestamptz not null,
  expires_at      timestamptz,
  revoked_at      timestamptz,
  last_used_at    timestamptz,
  constraint api_keys_pkey         primary key (organization_id, id),
  constraint api_keys_organization foreign key (organization_id) references organizations
) with (fillfactor = 80);                                  -- room for HOT updates of last_used_at

create table api_key_directory (
  hash            bytea not null,                          -- SHA-256 of the whole key
  organization_id uuid  not null,
  api_key_id      uuid  not null,
  constraint api_key_directory_pkey primary key (hash),
  constraint api_key_directory_key  foreign key (organization_id, api_key_id) references api_keys on delete cascade
);

-- Guards the tables whose rows may be added and never changed.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end $$;
