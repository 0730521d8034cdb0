-- Sign-in of members. All instants here are the wall clock's, except the life of an invitation.

-- A session is what a member signed in with: its refresh token is replaced at every use, and only the newest counts.
create table member_sessions (
  organization_id uuid        not null,
  id              uuid        not null,
  member_id       uuid        not null,
  generation      integer     not null default 1,          -- of the refresh token that counts
  started_at      timestamptz not null,
  expires_at      timestamptz not null,
  ended_at        timestamptz,
  constraint member_sessions_pkey   primary key (organization_id, id),
  constraint member_sessions_member foreign key (organization_id, member_id) references members on delete cascade
);
create index member_sessions_by_member on member_sessions (organization_id, member_id);
create index member_sessions_by_end on member_sessions (expires_at);

-- What a caller shows before we know the organization: the token of an invitation, kept as its SHA-256.
create table member_invites (
  hash            bytea       not null,
  organization_id uuid        not null,
  member_id       uuid        not null,
  expires_at      timestamptz not null,                    -- service clock
  accepted_at     timestamptz,
  constraint member_invites_pkey   primary key (hash),
  constraint member_invites_member foreign key (organization_id, member_id) references members on delete cascade
);
create index member_invites_by_member on member_invites (organization_id, member_id);

-- Failed sign-ins and those under way, counted exactly. A success leaves no row.
create table sign_in_attempts (
  id         uuid        not null,
  email_mac  bytea       not null,                         -- keyed: what people type in vain stays unreadable
  address    text        not null,
  at         timestamptz not null,
  has_failed boolean     not null default false,
  constraint sign_in_attempts_pkey primary key (id)
);
create index sign_in_attempts_by_email on sign_in_attempts (email_mac, at);
create index sign_in_attempts_by_address on sign_in_attempts (address, at);
create index sign_in_attempts_by_age on sign_in_attempts (at);

-- What of a caller's limit is given out in the current second. Processes take it in slices; a crash forgets a second.
create unlogged table rate_limits (
  subject_id uuid    not null,
  kind       text    not null,
  second     bigint  not null,
  reserved   integer not null,
  granted    integer not null,                             -- by the last reservation
  constraint rate_limits_pkey       primary key (subject_id, kind),
  constraint rate_limits_kind_known check (kind in ('reads', 'writes'))
) with (fillfactor = 50);
