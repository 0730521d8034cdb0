-- The whole schema after all migrations, written by "npm run spec". To read, not to run.

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.uuid_of(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$
  select encode(
    set_byte(set_byte(
      overlay(uuid_send(gen_random_uuid()) placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
      6, (get_byte(uuid_send(gen_random_uuid()), 0) & 15) | 112),
      8, (get_byte(uuid_send(gen_random_uuid()), 0) & 63) | 128), 'hex')::uuid
$function$;

create table api_key_directory (
  hash bytea not null,
  organization_id uuid not null,
  api_key_id uuid not null,
  constraint api_key_directory_pkey PRIMARY KEY (hash),
  constraint api_key_directory_key FOREIGN KEY (organization_id, api_key_id) REFERENCES api_keys(organization_id, id) ON DELETE CASCADE
);

create table api_keys (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  prefix text not null,
  last_four text not null,
  scopes text[] not null,
  created_by uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (organization_id, id),
  constraint api_keys_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
) with (fillfactor=80);

create table audit_log (
  organization_id uuid not null,
  id uuid not null,
  number bigint not null,
  at timestamp with time zone not null,
  actor_type text not null,
  actor_id uuid,
  actor_label text,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  ip text,
  changes text not null,
  mac bytea not null,
  key_id text not null,
  constraint audit_log_pkey PRIMARY KEY (organization_id, id),
  constraint audit_log_actor_known CHECK ((actor_type = ANY (ARRAY['member'::text, 'key'::text, 'operator'::text]))),
  constraint audit_log_actor_named CHECK (((actor_type = 'operator'::text) = (actor_id IS NULL))),
  constraint audit_log_dense UNIQUE (organization_id, number),
  constraint audit_log_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_log_heads (
  organization_id uuid not null,
  entries bigint not null,
  mac bytea not null,
  constraint audit_log_heads_pkey PRIMARY KEY (organization_id),
  constraint audit_log_heads_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create unlogged table clock_happenings (
  number bigint not null generated always as identity,
  at timestamp with time zone not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  constraint clock_happenings_pkey PRIMARY KEY (number)
);

create table events (
  organization_id uuid not null,
  id uuid not null,
  type text not null,
  payload text not null,
  is_test boolean not null default false,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (organization_id, id)
) partition by RANGE (id);
CREATE INDEX events_by_type ON ONLY public.events USING btree (organization_id, type, id);
CREATE TRIGGER events_append_only BEFORE UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_change();

create table exchange_rates (
  base text not null,
  currency text not null,
  rate numeric not null,
  as_of timestamp with time zone not null,
  source text not null,
  constraint exchange_rates_pkey PRIMARY KEY (currency),
  constraint exchange_rates_positive CHECK ((rate > (0)::numeric))
);

create table idempotency_keys (
  organization_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  claim_id uuid,
  claimed_until timestamp with time zone,
  status smallint,
  body text,
  is_sealed boolean not null default false,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, key),
  constraint idempotency_keys_answered CHECK (((status IS NULL) = (body IS NULL))),
  constraint idempotency_keys_in_one_state CHECK (((claim_id IS NULL) <> (status IS NULL))),
  constraint idempotency_keys_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

create table ledger_accounts (
  organization_id uuid not null,
  currency text not null,
  kind text not null,
  debits bigint not null default 0,
  credits bigint not null default 0,
  lines bigint not null default 0,
  may_overdraw boolean not null,
  constraint ledger_accounts_pkey PRIMARY KEY (organization_id, currency, kind),
  constraint ledger_accounts_counters_grow CHECK (((debits >= 0) AND (credits >= 0) AND (lines >= 0))),
  constraint ledger_accounts_no_overdraft CHECK ((may_overdraw OR (debits <= credits))),
  constraint ledger_accounts_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
) with (fillfactor=50);

create table ledger_lines (
  organization_id uuid not null,
  id uuid not null,
  posting_key text not null,
  line smallint not null,
  currency text not null,
  debit text not null,
  debit_line bigint not null,
  debit_balance bigint not null,
  credit text not null,
  credit_line bigint not null,
  credit_balance bigint not null,
  amount bigint not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  reference text,
  description text,
  created_at timestamp with time zone not null,
  constraint ledger_lines_pkey PRIMARY KEY (organization_id, id),
  constraint ledger_lines_credit_dense UNIQUE (organization_id, currency, credit, credit_line),
  constraint ledger_lines_debit_dense UNIQUE (organization_id, currency, debit, debit_line),
  constraint ledger_lines_no_overdraft CHECK (((debit_balance >= 0) OR (debit = ANY (ARRAY['outside'::text, 'exchange'::text, 'intercompany'::text])))),
  constraint ledger_lines_positive CHECK ((amount > 0)),
  constraint ledger_lines_posted_once UNIQUE (organization_id, posting_key, line),
  constraint ledger_lines_two_accounts CHECK ((debit <> credit))
);
CREATE TRIGGER ledger_lines_append_only BEFORE DELETE OR UPDATE ON public.ledger_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_lines_no_truncate BEFORE TRUNCATE ON public.ledger_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table ledger_seals (
  organization_id uuid not null,
  currency text not null,
  kind text not null,
  first_line bigint not null,
  last_line bigint not null,
  line_macs bytea not null,
  mac bytea not null,
  key_id text not null,
  sealed_at timestamp with time zone not null,
  constraint ledger_seals_pkey PRIMARY KEY (organization_id, currency, kind, last_line),
  constraint ledger_seals_account FOREIGN KEY (organization_id, currency, kind) REFERENCES ledger_accounts(organization_id, currency, kind),
  constraint ledger_seals_stretch CHECK (((first_line >= 1) AND (last_line >= first_line)))
);
CREATE TRIGGER ledger_seals_append_only BEFORE DELETE OR UPDATE ON public.ledger_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_seals_no_truncate BEFORE TRUNCATE ON public.ledger_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table member_directory (
  email_key text not null,
  organization_id uuid not null,
  member_id uuid not null,
  constraint member_directory_pkey PRIMARY KEY (email_key),
  constraint member_directory_member FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id) ON DELETE CASCADE
);

create table members (
  organization_id uuid not null,
  id uuid not null,
  email text not null,
  name text not null,
  role text not null,
  password_hash text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint members_pkey PRIMARY KEY (organization_id, id),
  constraint members_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint members_role_known CHECK ((role = ANY (ARRAY['viewer'::text, 'approver'::text, 'developer'::text, 'admin'::text, 'owner'::text])))
);

create table organizations (
  id uuid not null,
  name text not null,
  is_active boolean not null default true,
  approval_thresholds jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_name_fits CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);

create unlogged table processes (
  id uuid not null,
  roles text[] not null,
  host text not null,
  pid integer not null,
  started_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  clock_revision bigint not null default 0,
  api_url text,
  simulator_url text,
  constraint processes_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table quotes (
  organization_id uuid not null,
  id uuid not null,
  kind text not null,
  source_amount bigint not null,
  source_currency text not null,
  target_amount bigint not null,
  target_currency text not null,
  exchange_rate numeric not null,
  rate_source text not null,
  rate_as_of timestamp with time zone not null,
  fee_amount bigint not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint quotes_pkey PRIMARY KEY (organization_id, id),
  constraint quotes_kind_known CHECK ((kind = ANY (ARRAY['payment'::text, 'payout'::text, 'transfer'::text]))),
  constraint quotes_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint quotes_positive CHECK (((source_amount > 0) AND (target_amount > 0) AND (exchange_rate > (0)::numeric) AND (fee_amount >= 0)))
);

create table rail_notices (
  rail text not null,
  dedupe_key text not null,
  id uuid not null,
  kind text not null,
  notice jsonb not null,
  body text not null,
  status text not null default 'waiting'::text,
  organization_id uuid,
  error text,
  received_at timestamp with time zone not null,
  applied_at timestamp with time zone,
  set_aside_at timestamp with time zone,
  constraint rail_notices_pkey PRIMARY KEY (rail, dedupe_key),
  constraint rail_notices_id UNIQUE (id),
  constraint rail_notices_status_known CHECK ((status = ANY (ARRAY['waiting'::text, 'applied'::text, 'unmatched'::text, 'returned'::text, 'unreadable'::text])))
);
CREATE INDEX rail_notices_unmatched ON public.rail_notices USING btree (id) WHERE (status = ANY (ARRAY['unmatched'::text, 'unreadable'::text]));
CREATE INDEX rail_notices_waiting ON public.rail_notices USING btree (id) WHERE ((status = 'waiting'::text) AND (set_aside_at IS NULL));

create table rows_set_aside (
  worker text not null,
  organization_id uuid not null,
  resource_id uuid not null,
  error text not null,
  set_aside_at timestamp with time zone not null,
  constraint rows_set_aside_pkey PRIMARY KEY (worker, organization_id, resource_id)
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table service_clock (
  is_only boolean not null default true,
  offset_ms bigint not null default 0,
  frozen_at timestamp with time zone,
  target_offset_ms bigint,
  moved_by uuid,
  revision bigint not null default 0,
  constraint service_clock_pkey PRIMARY KEY (is_only),
  constraint service_clock_forward CHECK (((offset_ms >= 0) AND (COALESCE(target_offset_ms, offset_ms) >= offset_ms))),
  constraint service_clock_one_row CHECK (is_only)
);

create table status_history (
  organization_id uuid not null,
  resource_id uuid not null,
  number smallint not null,
  resource_type text not null,
  status text not null,
  event_id uuid,
  at timestamp with time zone not null,
  constraint status_history_pkey PRIMARY KEY (organization_id, resource_id, number)
);
CREATE TRIGGER status_history_append_only BEFORE DELETE OR UPDATE ON public.status_history FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER status_history_no_truncate BEFORE TRUNCATE ON public.status_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table transfers (
  organization_id uuid not null,
  id uuid not null,
  kind text not null,
  direction text not null,
  reference text not null,
  status text not null,
  failure_reason text,
  source_amount bigint not null,
  source_currency text not null,
  target_amount bigint not null,
  target_currency text not null,
  exchange_rate numeric not null,
  rate_source text not null,
  rate_as_of timestamp with time zone not null,
  quote_id uuid,
  source_organization_id uuid not null,
  destination_organization_id uuid not null,
  payout_id uuid,
  description text,
  created_by uuid,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  set_aside_at timestamp with time zone,
  constraint transfers_pkey PRIMARY KEY (organization_id, id),
  constraint transfers_completed CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint transfers_direction_known CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text]))),
  constraint transfers_kind_known CHECK ((kind = ANY (ARRAY['conversion'::text, 'organization'::text, 'payout_return'::text, 'review_credit'::text]))),
  constraint transfers_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint transfers_positive CHECK (((source_amount > 0) AND (target_amount > 0) AND (exchange_rate > (0)::numeric))),
  constraint transfers_reason CHECK (((status = 'failed'::text) = (failure_reason IS NOT NULL))),
  constraint transfers_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX transfers_by_status ON public.transfers USING btree (organization_id, status, id);
CREATE INDEX transfers_pending ON public.transfers USING btree (created_at) WHERE ((status = 'pending'::text) AND (set_aside_at IS NULL));
CREATE UNIQUE INDEX transfers_reference_taken ON public.transfers USING btree (organization_id, reference) WHERE (direction = 'out'::text);

create table wallets (
  organization_id uuid not null,
  id uuid not null,
  currency text not null,
  created_at timestamp with time zone not null,
  constraint wallets_pkey PRIMARY KEY (organization_id, id),
  constraint wallets_one_per_currency UNIQUE (organization_id, currency),
  constraint wallets_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table webhook_deliveries (
  organization_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending'::text,
  attempt_count smallint not null default 0,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_deliveries_due CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text])))
) partition by RANGE (id);
CREATE INDEX webhook_deliveries_by_endpoint ON ONLY public.webhook_deliveries USING btree (organization_id, endpoint_id, id);

create table webhook_endpoints (
  organization_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  description text,
  secret text,
  signature_prefix text not null default 'sha256'::text,
  headers text,
  is_active boolean not null default true,
  consecutive_failures integer not null default 0,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_endpoints_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint webhook_endpoints_prefix_known CHECK ((signature_prefix = ANY (ARRAY['sha256'::text, 'v1'::text])))
);
CREATE INDEX webhook_endpoints_listening ON public.webhook_endpoints USING btree (organization_id) WHERE (is_active AND (deleted_at IS NULL));
