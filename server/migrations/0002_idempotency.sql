-- Answers kept for 24 hours per Idempotency-Key. A row without an answer is the claim of a request that asks a provider
-- before it may write: the claim is its own until the lease ends, and free for others afterwards.

create table idempotency_keys (
  organization_id uuid        not null,
  key             text        not null,
  fingerprint     bytea       not null,
  claim_id        uuid,
  claimed_until   timestamptz,                             -- wall clock
  status          smallint,
  body            text,
  is_sealed       boolean     not null default false,      -- body carries a secret and is encrypted
  created_at      timestamptz not null,
  constraint idempotency_keys_pkey         primary key (organization_id, key),
  constraint idempotency_keys_organization foreign key (organization_id) references organizations,
  constraint idempotency_keys_answered     check ((status is null) = (body is null)),
  constraint idempotency_keys_in_one_state check ((claim_id is null) <> (status is null))
);

create index idempotency_keys_by_age on idempotency_keys (created_at);
