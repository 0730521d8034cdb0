-- The whole schema after all migrations, written by "npm run spec". To read, not to run.

CREATE OR REPLACE FUNCTION public.claim_webhook_deliveries(process_id uuid, at timestamp with time zone, first_most integer, retry_most integer, endpoint_most integer, refill_organizations uuid[], refill_endpoints uuid[])
 RETURNS TABLE(organization_id uuid, id uuid, endpoint_id uuid, lane text, event_id uuid, event_type text, payload text, is_manual boolean, attempt_count smallint, automatic_count smallint, is_single boolean, url text, secret text, signature_prefix text, headers text)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(5660003);
  return query
  with first_attempts as (
    select d.organization_id, d.id, d.endpoint_id, d.lane, d.due_at, d.manual_requested_at from webhook_deliveries d
     where d.lane = 'first' and d.due_at <= at order by d.due_at limit first_most for update skip locked
  ), retries as (
    select d.organization_id, d.id, d.endpoint_id, d.lane, d.due_at, d.manual_requested_at from webhook_deliveries d
     where d.lane = 'retry' and d.due_at <= at order by d.due_at limit retry_most for update skip locked
  ), refills as (
    select p.organization_id, p.id, p.endpoint_id, p.lane, p.due_at, p.manual_requested_at
      from unnest(refill_organizations, refill_endpoints) as e (organization_id, endpoint_id)
     cross join lateral (
       select d.organization_id, d.id, d.endpoint_id, d.lane, d.due_at, d.manual_requested_at from webhook_deliveries d
        where d.lane = 'parked' and d.organization_id = e.organization_id and d.endpoint_id = e.endpoint_id and d.due_at <= at
        order by d.due_at limit endpoint_most + 1 for update skip locked
     ) p
  ), candidates as (
    select c.organization_id, c.id, c.endpoint_id, c.lane, c.due_at, c.manual_requested_at from first_attempts c
    union all
    select c.organization_id, c.id, c.endpoint_id, c.lane, c.due_at, c.manual_requested_at from retries c
    union all
    select c.organization_id, c.id, c.endpoint_id, c.lane, c.due_at, c.manual_requested_at from refills c
  ), lanes as (
    select e.organization_id, e.endpoint_id, w.is_active, w.deleted_at,
           (select count(*) from webhook_deliveries f
             where f.lane = 'claimed' and f.organization_id = e.organization_id and f.endpoint_id = e.endpoint_id) as under_way
      from (select distinct c.organization_id, c.endpoint_id from candidates c) e
      join webhook_endpoints w on w.organization_id = e.organization_id and w.id = e.endpoint_id
  ), placed as (
    select c.organization_id, c.id, c.endpoint_id, c.lane as old_lane,
           l.deleted_at is not null or (not l.is_active and c.manual_requested_at is null) as is_gone,
           l.under_way + row_number() over (partition by c.organization_id, c.endpoint_id order by c.due_at, c.id) > endpoint_most as is_over
      from candidates c join lanes l on l.organization_id = c.organization_id and l.endpoint_id = c.endpoint_id
  ), moved as (
    update webhook_deliveries d
       set lane = case when p.is_gone then null when p.is_over then 'parked' else 'claimed' end,
           claimed_by = case when not p.is_gone and not p.is_over then process_id end,
           due_at = case when not p.is_gone then d.due_at end,
           status = case when p.is_gone and d.status = 'pending' then 'cancelled' else d.status end,
           next_attempt_at = case when not p.is_gone then d.next_attempt_at end,
           manual_requested_at = case when not p.is_gone then d.manual_requested_at end,
           completed_at = case when p.is_gone and d.status = 'pending' then at else d.completed_at end
      from placed p
     where d.organization_id = p.organization_id and d.id = p.id and (p.is_gone or not (p.is_over and p.old_lane = 'parked'))
    returning d.organization_id, d.id, d.endpoint_id, d.lane, d.event_id, d.event_type, d.manual_requested_at,
              d.attempt_count, d.automatic_count, d.is_single
  ), hinted as (
    -- Only a hint: whoever holds an endpoint's row is not waited for.
    update webhook_endpoints w set is_congested = h.is_congested
      from (
        select e.organization_id, e.id, s.is_congested
          from webhook_endpoints e
          join (select p.organization_id, p.endpoint_id, bool_or(p.is_over and not p.is_gone) as is_congested,
                       bool_or(p.old_lane = 'parked') as is_refill
                  from placed p group by p.organization_id, p.endpoint_id) s
            on s.organization_id = e.organization_id and s.endpoint_id = e.id
         where e.is_congested <> s.is_congested and (s.is_congested or s.is_refill)
           for no key update of e skip locked
      ) h
     where w.organization_id = h.organization_id and w.id = h.id
  )
  select m.organization_id, m.id, m.endpoint_id, m.lane, m.event_id, m.event_type, e.payload, m.manual_requested_at is not null,
         m.attempt_count, m.automatic_count, m.is_single, w.url, w.secret, w.signature_prefix, w.headers
    from moved m
    join webhook_endpoints w on w.organization_id = m.organization_id and w.id = m.endpoint_id
    left join events e on m.lane = 'claimed' and e.organization_id = m.organization_id and e.id = m.event_id;
end $function$;

CREATE OR REPLACE FUNCTION public.post_lines(account_organizations uuid[], account_currencies text[], account_kinds text[], account_debits bigint[], account_credits bigint[], account_lines bigint[], organizations uuid[], ids uuid[], posting_keys text[], parts smallint[], currencies text[], amounts bigint[], kinds text[], resource_types text[], resource_ids uuid[], notes text[], descriptions text[], instants timestamp with time zone[], debit_kinds text[], debit_accounts integer[], debit_lines integer[], debit_changes bigint[], credit_kinds text[], credit_accounts integer[], credit_lines integer[], credit_changes bigint[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  lines_before    bigint[];
  balances_before bigint[];
  posted          integer;
begin
  -- In one order everywhere, so that two batches never wait for each other in a circle. That account_lines are above
  -- zero is true of all; it makes the planner expect few accounts, and keep one plan for every size.
  select array_agg(locked.lines order by locked.n), array_agg(locked.balance order by locked.n)
    into lines_before, balances_before
    from (
      select t.n, a.lines, a.credits - a.debits as balance
        from unnest(account_organizations, account_currencies, account_kinds, account_lines) with ordinality
          as t (organization_id, currency, kind, lines, n)
        join ledger_accounts a on (a.organization_id, a.currency, a.kind) = (t.organization_id, t.currency, t.kind)
       where t.lines > 0
       order by a.organization_id, a.currency, a.kind
         for no key update of a) locked;
  if coalesce(cardinality(lines_before), 0) <> cardinality(account_organizations) then
    return 0;
  end if;

  with account as (
    select organization_id, currency, kind, debits, credits, lines
      from unnest(account_organizations, account_currencies, account_kinds, account_debits, account_credits, account_lines)
        as t (organization_id, currency, kind, debits, credits, lines)
     where lines > 0
  ), counted as (
    update ledger_accounts a
       set debits = a.debits + t.debits, credits = a.credits + t.credits, lines = a.lines + t.lines
      from account t
     where (a.organization_id, a.currency, a.kind) = (t.organization_id, t.currency, t.kind)
  ), queued as (
    -- Under the account's lock, like the worker that takes it away once everything is sealed.
    insert into ledger_unsealed (organization_id, currency, kind)
    select organization_id, currency, kind from account
    on conflict do nothing
  )
  insert into ledger_lines (organization_id, id, posting_key, line, currency, amount, kind, resource_type, resource_id,
                            reference, description, created_at, debit, debit_line, debit_balance, credit, credit_line, credit_balance)
  select i.organization_id, i.id, i.posting_key, i.part, i.currency, i.amount, i.kind, i.resource_type, i.resource_id,
         i.note, i.description, i.created_at,
         i.debit, lines_before[i.debit_account] + i.debit_line, balances_before[i.debit_account] + i.debit_change,
         i.credit, lines_before[i.credit_account] + i.credit_line, balances_before[i.credit_account] + i.credit_change
    from unnest(organizations, ids, posting_keys, parts, currencies, amounts, kinds, resource_types, resource_ids, notes,
                descriptions, instants, debit_kinds, debit_accounts, debit_lines, debit_changes,
                credit_kinds, credit_accounts, credit_lines, credit_changes)
      as i (organization_id, id, posting_key, part, currency, amount, kind, resource_type, resource_id, note,
            description, created_at, debit, debit_account, debit_line, debit_change,
            credit, credit_account, credit_line, credit_change);
  get diagnostics posted = row_count;
  return posted;
end $function$;

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

create table audit_findings (
  organization_id uuid not null,
  check_name text not null,
  subject text not null,
  says text not null,
  found_at timestamp with time zone not null,
  constraint audit_findings_pkey PRIMARY KEY (organization_id, check_name, subject)
);

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

create table audit_progress (
  is_only boolean not null default true,
  pass bigint not null default 1,
  organization_id uuid,
  claimed_by uuid,
  finished_at timestamp with time zone,
  constraint audit_progress_pkey PRIMARY KEY (is_only),
  constraint audit_progress_one_row CHECK (is_only)
);

create unlogged table clock_happenings (
  number bigint not null generated always as identity,
  at timestamp with time zone not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  constraint clock_happenings_pkey PRIMARY KEY (number)
);

create table customers (
  organization_id uuid not null,
  id uuid not null,
  first_name text not null,
  last_name text not null,
  email text not null,
  email_key text not null,
  phone text,
  date_of_birth date,
  gender text,
  identity_type text,
  identity_sealed text,
  identity_masked text,
  identity_verified_at timestamp with time zone,
  address json,
  metadata json,
  is_active boolean not null default true,
  search_text text not null,
  created_by uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint customers_pkey PRIMARY KEY (organization_id, id),
  constraint customers_email_taken UNIQUE (organization_id, email_key),
  constraint customers_gender_known CHECK ((gender = ANY (ARRAY['male'::text, 'female'::text, 'other'::text]))),
  constraint customers_identity_together CHECK ((num_nonnulls(identity_type, identity_sealed, identity_masked) = ANY (ARRAY[0, 3]))),
  constraint customers_identity_type_known CHECK ((identity_type = ANY (ARRAY['BVN'::text, 'NIN'::text, 'PASSPORT'::text, 'DRIVERS_LICENSE'::text, 'VOTERS_CARD'::text]))),
  constraint customers_only_bvn_verified CHECK (((identity_verified_at IS NULL) OR (identity_type = 'BVN'::text))),
  constraint customers_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
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
  constraint ledger_seals_chain UNIQUE (organization_id, currency, kind, first_line),
  constraint ledger_seals_stretch CHECK (((first_line >= 1) AND (last_line >= first_line)))
);
CREATE TRIGGER ledger_seals_append_only BEFORE DELETE OR UPDATE ON public.ledger_seals FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_seals_no_truncate BEFORE TRUNCATE ON public.ledger_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table ledger_unsealed (
  organization_id uuid not null,
  currency text not null,
  kind text not null,
  constraint ledger_unsealed_pkey PRIMARY KEY (organization_id, currency, kind)
);

create table member_directory (
  email_key text not null,
  organization_id uuid not null,
  member_id uuid not null,
  constraint member_directory_pkey PRIMARY KEY (email_key),
  constraint member_directory_member FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id) ON DELETE CASCADE
);

create table member_invites (
  hash bytea not null,
  organization_id uuid not null,
  member_id uuid not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  constraint member_invites_pkey PRIMARY KEY (hash),
  constraint member_invites_member FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX member_invites_by_member ON public.member_invites USING btree (organization_id, member_id);

create table member_sessions (
  organization_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  generation integer not null default 1,
  started_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint member_sessions_pkey PRIMARY KEY (organization_id, id),
  constraint member_sessions_member FOREIGN KEY (organization_id, member_id) REFERENCES members(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX member_sessions_by_end ON public.member_sessions USING btree (expires_at);
CREATE INDEX member_sessions_by_member ON public.member_sessions USING btree (organization_id, member_id);

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

create unlogged table partner_wallet_lookups (
  organization_id uuid not null,
  misses timestamp with time zone[] not null,
  asking timestamp with time zone[] not null,
  constraint partner_wallet_lookups_pkey PRIMARY KEY (organization_id)
) with (fillfactor=50);

create table payment_attempts (
  organization_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  rail text not null,
  method_id text,
  method_type text,
  method_name text,
  status text not null,
  rail_reference text,
  step json,
  reason text,
  is_settled boolean not null default false,
  void_at timestamp with time zone,
  void_count smallint not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint payment_attempts_pkey PRIMARY KEY (organization_id, id),
  constraint payment_attempts_payment FOREIGN KEY (organization_id, payment_id) REFERENCES payments(organization_id, id),
  constraint payment_attempts_status_known CHECK ((status = ANY (ARRAY['beginning'::text, 'waiting'::text, 'accepted'::text, 'received'::text, 'declined'::text, 'rejected'::text, 'voided'::text])))
);
CREATE INDEX payment_attempts_by_payment ON public.payment_attempts USING btree (organization_id, payment_id, id);
CREATE INDEX payment_attempts_voiding ON public.payment_attempts USING btree (void_at) WHERE (void_at IS NOT NULL);

create table payment_links (
  token text not null,
  organization_id uuid not null,
  payment_id uuid not null,
  constraint payment_links_pkey PRIMARY KEY (token)
);

create table payment_orders (
  rail text not null,
  order_id uuid not null,
  organization_id uuid not null,
  payment_id uuid not null,
  constraint payment_orders_pkey PRIMARY KEY (rail, order_id)
);

create table payment_receipts (
  organization_id uuid not null,
  payment_id uuid not null,
  rail text not null,
  rail_reference text not null,
  order_id uuid not null,
  amount bigint not null,
  currency text not null,
  received_at timestamp with time zone not null,
  constraint payment_receipts_pkey PRIMARY KEY (organization_id, payment_id, rail, rail_reference),
  constraint payment_receipts_payment FOREIGN KEY (organization_id, payment_id) REFERENCES payments(organization_id, id),
  constraint payment_receipts_positive CHECK ((amount > 0))
);
CREATE TRIGGER payment_receipts_append_only BEFORE DELETE OR UPDATE ON public.payment_receipts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_receipts_no_truncate BEFORE TRUNCATE ON public.payment_receipts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payments (
  organization_id uuid not null,
  id uuid not null,
  reference text not null,
  status text not null,
  announced_status text not null,
  previous_status text,
  failure_reason text,
  source_amount bigint not null,
  source_currency text not null,
  target_amount bigint not null,
  target_currency text not null,
  exchange_rate numeric not null,
  rate_source text not null,
  rate_as_of timestamp with time zone not null,
  quote_id uuid,
  fee_amount bigint not null,
  customer_id uuid,
  description text,
  metadata json,
  redirect_url text,
  link_token text not null,
  link_expires_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  attempt_id uuid,
  method_id text,
  method_type text,
  method_name text,
  rail text,
  decline_count smallint not null default 0,
  initiated_at timestamp with time zone,
  executed_at timestamp with time zone,
  settles_at timestamp with time zone,
  settlement_id uuid,
  asked_at timestamp with time zone,
  synced_at timestamp with time zone,
  ask_at timestamp with time zone,
  ask_count smallint not null default 0,
  created_by uuid not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  set_aside_at timestamp with time zone,
  constraint payments_pkey PRIMARY KEY (organization_id, id),
  constraint payments_announced_known CHECK ((announced_status = ANY (ARRAY['created'::text, 'initiated'::text, 'executed'::text, 'settled'::text, 'failed'::text, 'cancelled'::text, 'expired'::text]))),
  constraint payments_executed CHECK (((status = ANY (ARRAY['executed'::text, 'settled'::text])) = (executed_at IS NOT NULL))),
  constraint payments_fee_fits CHECK (((fee_amount >= 0) AND (fee_amount <= target_amount))),
  constraint payments_method_whole CHECK ((((method_id IS NULL) = (method_type IS NULL)) AND ((method_id IS NULL) = (method_name IS NULL)))),
  constraint payments_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint payments_positive CHECK (((source_amount > 0) AND (target_amount > 0) AND (exchange_rate > (0)::numeric))),
  constraint payments_reason CHECK (((status = ANY (ARRAY['failed'::text, 'expired'::text])) = (failure_reason IS NOT NULL))),
  constraint payments_reference_taken UNIQUE (organization_id, reference),
  constraint payments_settled CHECK (((status = 'settled'::text) = (settlement_id IS NOT NULL))),
  constraint payments_status_known CHECK ((status = ANY (ARRAY['created'::text, 'pending'::text, 'authorising'::text, 'initiated'::text, 'executed'::text, 'settled'::text, 'failed'::text, 'cancelled'::text, 'expired'::text]))),
  constraint payments_two_clocks CHECK ((link_expires_at <= expires_at))
) with (fillfactor=85);
CREATE INDEX payments_asking ON public.payments USING btree (ask_at) WHERE ((ask_at IS NOT NULL) AND (set_aside_at IS NULL));
CREATE INDEX payments_by_customer ON public.payments USING btree (organization_id, customer_id, id) WHERE (customer_id IS NOT NULL);
CREATE INDEX payments_by_settlement ON public.payments USING btree (organization_id, settlement_id, id) WHERE (settlement_id IS NOT NULL);
CREATE INDEX payments_by_status ON public.payments USING btree (organization_id, status, id);
CREATE INDEX payments_expiring ON public.payments USING btree (expires_at) WHERE ((status = ANY (ARRAY['created'::text, 'pending'::text, 'authorising'::text])) AND (set_aside_at IS NULL));
CREATE INDEX payments_settling ON public.payments USING btree (settles_at) WHERE ((status = 'executed'::text) AND (set_aside_at IS NULL));

create table payout_accounts (
  organization_id uuid not null,
  id uuid not null,
  account_type text not null,
  account_number text not null,
  account_name text not null,
  bank_code text,
  bank_name text,
  institution_id text,
  routing_number text,
  currency text not null,
  country text not null,
  destination_key text not null,
  nickname text,
  metadata jsonb,
  is_active boolean not null default true,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint payout_accounts_pkey PRIMARY KEY (organization_id, id),
  constraint payout_accounts_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint payout_accounts_type_known CHECK ((account_type = ANY (ARRAY['bank_account'::text, 'mobile_money'::text, 'partnerwallet_wallet'::text])))
);
CREATE UNIQUE INDEX payout_accounts_one_per_destination ON public.payout_accounts USING btree (organization_id, destination_key) WHERE (deleted_at IS NULL);

create table payout_orders (
  organization_id uuid not null,
  payout_id uuid not null,
  rail text not null,
  order_id text not null,
  step text not null,
  due_at timestamp with time zone,
  claimed_by uuid,
  asked smallint not null default 0,
  silent_since timestamp with time zone,
  not_found_at timestamp with time zone,
  resent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint payout_orders_pkey PRIMARY KEY (organization_id, payout_id),
  constraint payout_orders_claimed CHECK (((claimed_by IS NULL) OR (due_at IS NOT NULL))),
  constraint payout_orders_one_each UNIQUE (rail, order_id),
  constraint payout_orders_payout FOREIGN KEY (organization_id, payout_id) REFERENCES payouts(organization_id, id),
  constraint payout_orders_step_known CHECK ((step = ANY (ARRAY['send'::text, 'ask'::text])))
) with (fillfactor=70);
CREATE INDEX payout_orders_claimed ON public.payout_orders USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);
CREATE INDEX payout_orders_due ON public.payout_orders USING btree (due_at) WHERE (due_at IS NOT NULL);

create table payouts (
  organization_id uuid not null,
  id uuid not null,
  reference text not null,
  status text not null,
  failure_reason text,
  waiting_reason text,
  payout_account_id uuid not null,
  destination jsonb not null,
  source_amount bigint not null,
  source_currency text not null,
  target_amount bigint not null,
  target_currency text not null,
  exchange_rate numeric not null,
  rate_source text not null,
  rate_as_of timestamp with time zone not null,
  quote_id uuid,
  fee_amount bigint not null,
  narration text,
  metadata jsonb,
  requires_approval boolean not null,
  approved_by uuid,
  approved_at timestamp with time zone,
  provider_reference text,
  returned_at timestamp with time zone,
  return_reason text,
  return_transfer_id uuid,
  created_by uuid not null,
  made_by uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  set_aside_at timestamp with time zone,
  constraint payouts_pkey PRIMARY KEY (organization_id, id),
  constraint payouts_account FOREIGN KEY (organization_id, payout_account_id) REFERENCES payout_accounts(organization_id, id),
  constraint payouts_approved CHECK (((approved_by IS NULL) = (approved_at IS NULL))),
  constraint payouts_completed CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint payouts_failed CHECK (((status <> 'failed'::text) OR (failure_reason IS NOT NULL))),
  constraint payouts_positive CHECK (((source_amount > 0) AND (target_amount > 0) AND (exchange_rate > (0)::numeric) AND (fee_amount >= 0))),
  constraint payouts_reference_taken UNIQUE (organization_id, reference),
  constraint payouts_returned CHECK ((((returned_at IS NULL) = (return_transfer_id IS NULL)) AND ((returned_at IS NULL) OR (status = 'completed'::text)))),
  constraint payouts_status_known CHECK ((status = ANY (ARRAY['pending_approval'::text, 'pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint payouts_waiting CHECK (((waiting_reason IS NULL) OR (status = 'processing'::text)))
) with (fillfactor=80);
CREATE INDEX payouts_by_account ON public.payouts USING btree (organization_id, payout_account_id, id);
CREATE INDEX payouts_by_status ON public.payouts USING btree (organization_id, status, id);
CREATE INDEX payouts_to_send ON public.payouts USING btree (created_at) WHERE ((status = 'pending'::text) AND (set_aside_at IS NULL));
CREATE INDEX payouts_undecided ON public.payouts USING btree (created_at) WHERE ((status = 'pending_approval'::text) AND (set_aside_at IS NULL));

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

create table rail_credit_cursors (
  rail text not null,
  cursor text,
  asked_at timestamp with time zone,
  constraint rail_credit_cursors_pkey PRIMARY KEY (rail)
);

create table rail_notice_decisions (
  id uuid not null,
  notice_id uuid not null,
  decision text not null,
  organization_id uuid,
  note text,
  decided_at timestamp with time zone not null,
  constraint rail_notice_decisions_pkey PRIMARY KEY (id),
  constraint rail_notice_decisions_assigned CHECK (((decision = 'assigned'::text) = (organization_id IS NOT NULL))),
  constraint rail_notice_decisions_known CHECK ((decision = ANY (ARRAY['assigned'::text, 'return_asked'::text, 'return_refused'::text, 'returned'::text]))),
  constraint rail_notice_decisions_notice FOREIGN KEY (notice_id) REFERENCES rail_notices(id)
);
CREATE INDEX rail_notice_decisions_by_notice ON public.rail_notice_decisions USING btree (notice_id);
CREATE TRIGGER rail_notice_decisions_append_only BEFORE DELETE OR UPDATE ON public.rail_notice_decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rail_notice_decisions_no_truncate BEFORE TRUNCATE ON public.rail_notice_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table rail_notice_queue (
  id uuid not null,
  received_at timestamp with time zone not null,
  set_aside_at timestamp with time zone,
  constraint rail_notice_queue_pkey PRIMARY KEY (id)
);

create table rail_notices (
  rail text not null,
  dedupe_key text not null,
  id uuid not null,
  kind text not null,
  notice jsonb not null,
  body text not null,
  status text not null default 'read'::text,
  error text,
  received_at timestamp with time zone not null,
  constraint rail_notices_pkey PRIMARY KEY (rail, dedupe_key),
  constraint rail_notices_id UNIQUE (id),
  constraint rail_notices_status_known CHECK ((status = ANY (ARRAY['read'::text, 'unmatched'::text, 'returning'::text, 'returned'::text, 'unreadable'::text])))
);
CREATE INDEX rail_notices_unmatched ON public.rail_notices USING btree (id) WHERE (status = ANY (ARRAY['unmatched'::text, 'returning'::text, 'unreadable'::text]));

create unlogged table rate_limits (
  subject_id uuid not null,
  kind text not null,
  second bigint not null,
  reserved integer not null,
  granted integer not null,
  constraint rate_limits_pkey PRIMARY KEY (subject_id, kind),
  constraint rate_limits_kind_known CHECK ((kind = ANY (ARRAY['reads'::text, 'writes'::text])))
) with (fillfactor=50);

create table review_items (
  organization_id uuid not null,
  id uuid not null,
  kind text not null,
  status text not null default 'open'::text,
  amount bigint not null,
  currency text not null,
  rail text not null,
  rail_reference text,
  order_id uuid,
  resource_type text not null,
  resource_id uuid not null,
  note text,
  resolved_by uuid,
  return_at timestamp with time zone,
  return_count smallint not null default 0,
  return_reference text,
  created_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  constraint review_items_pkey PRIMARY KEY (organization_id, id),
  constraint review_items_kind_known CHECK ((kind = ANY (ARRAY['late_payment'::text, 'wrong_amount'::text, 'duplicate_payment'::text, 'unanswered_payment'::text, 'unanswered_payout'::text]))),
  constraint review_items_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint review_items_positive CHECK ((amount > 0)),
  constraint review_items_resolved CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL))),
  constraint review_items_returning CHECK (((status = 'returning'::text) OR (return_at IS NULL))),
  constraint review_items_status_known CHECK ((status = ANY (ARRAY['open'::text, 'returning'::text, 'resolved'::text])))
);
CREATE INDEX review_items_by_resource ON public.review_items USING btree (organization_id, resource_id);
CREATE INDEX review_items_by_status ON public.review_items USING btree (organization_id, status, id);
CREATE INDEX review_items_returned ON public.review_items USING btree (return_reference) WHERE (return_reference IS NOT NULL);
CREATE INDEX review_items_returning ON public.review_items USING btree (return_at) WHERE (return_at IS NOT NULL);

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

create table settlements (
  organization_id uuid not null,
  id uuid not null,
  rail text not null,
  currency text not null,
  settled_on date not null,
  gross_amount bigint not null default 0,
  fee_amount bigint not null default 0,
  payment_count integer not null default 0,
  created_at timestamp with time zone not null,
  constraint settlements_pkey PRIMARY KEY (organization_id, id),
  constraint settlements_one_per_day UNIQUE (organization_id, rail, currency, settled_on),
  constraint settlements_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint settlements_sums CHECK (((gross_amount >= fee_amount) AND (fee_amount >= 0) AND (payment_count >= 0)))
) with (fillfactor=70);

create table sign_in_attempts (
  id uuid not null,
  email_mac bytea not null,
  address text not null,
  at timestamp with time zone not null,
  has_failed boolean not null default false,
  constraint sign_in_attempts_pkey PRIMARY KEY (id)
);
CREATE INDEX sign_in_attempts_by_address ON public.sign_in_attempts USING btree (address, at);
CREATE INDEX sign_in_attempts_by_age ON public.sign_in_attempts USING btree (at);
CREATE INDEX sign_in_attempts_by_email ON public.sign_in_attempts USING btree (email_mac, at);

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
  constraint transfers_positive CHECK (((exchange_rate > (0)::numeric) AND (((source_amount > 0) AND (target_amount > 0)) OR ((kind = 'review_credit'::text) AND (source_amount = target_amount) AND (source_amount >= 0))))),
  constraint transfers_reason CHECK (((status = 'failed'::text) = (failure_reason IS NOT NULL))),
  constraint transfers_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX transfers_by_status ON public.transfers USING btree (organization_id, status, id);
CREATE INDEX transfers_pending ON public.transfers USING btree (created_at) WHERE ((status = 'pending'::text) AND (set_aside_at IS NULL));
CREATE UNIQUE INDEX transfers_reference_taken ON public.transfers USING btree (organization_id, reference) WHERE ((direction = 'out'::text) AND (kind = ANY (ARRAY['conversion'::text, 'organization'::text])));

create table virtual_account_credits (
  organization_id uuid not null,
  id uuid not null,
  virtual_account_id uuid not null,
  rail text not null,
  transaction_reference text not null,
  account_number text not null,
  gross_amount bigint not null,
  fee_amount bigint not null,
  net_amount bigint not null,
  currency text not null,
  payer_name text,
  payer_email text,
  event_id uuid not null,
  created_at timestamp with time zone not null,
  constraint virtual_account_credits_pkey PRIMARY KEY (organization_id, id),
  constraint virtual_account_credits_once UNIQUE (organization_id, rail, transaction_reference),
  constraint virtual_account_credits_positive CHECK ((gross_amount > 0)),
  constraint virtual_account_credits_split CHECK (((gross_amount = (fee_amount + net_amount)) AND (fee_amount >= 0) AND (net_amount >= 0)))
);
CREATE INDEX virtual_account_credits_by_account ON public.virtual_account_credits USING btree (organization_id, virtual_account_id, id);
CREATE TRIGGER virtual_account_credits_append_only BEFORE DELETE OR UPDATE ON public.virtual_account_credits FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER virtual_account_credits_no_truncate BEFORE TRUNCATE ON public.virtual_account_credits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table virtual_account_directory (
  account_number text not null,
  rail text not null,
  organization_id uuid not null,
  virtual_account_id uuid not null,
  constraint virtual_account_directory_pkey PRIMARY KEY (account_number, rail),
  constraint virtual_account_directory_account FOREIGN KEY (organization_id, virtual_account_id) REFERENCES virtual_accounts(organization_id, id)
);

create table virtual_accounts (
  organization_id uuid not null,
  id uuid not null,
  entity_type text not null,
  entity_id uuid not null,
  rail text not null,
  account_reference text not null,
  account_name text not null,
  accounts json not null default '[]'::json,
  status text not null default 'opening'::text,
  is_active boolean not null default true,
  created_at timestamp with time zone not null,
  constraint virtual_accounts_pkey PRIMARY KEY (organization_id, id),
  constraint virtual_accounts_entity_known CHECK ((entity_type = ANY (ARRAY['customer'::text, 'organization'::text]))),
  constraint virtual_accounts_one_per_provider UNIQUE (organization_id, entity_type, entity_id, rail),
  constraint virtual_accounts_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint virtual_accounts_status_known CHECK ((status = ANY (ARRAY['opening'::text, 'open'::text])))
);

create table wallets (
  organization_id uuid not null,
  id uuid not null,
  currency text not null,
  created_at timestamp with time zone not null,
  constraint wallets_pkey PRIMARY KEY (organization_id, id),
  constraint wallets_one_per_currency UNIQUE (organization_id, currency),
  constraint wallets_organization FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

create table webhook_attempts (
  organization_id uuid not null,
  delivery_id uuid not null,
  number smallint not null,
  trigger text not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  response_status smallint,
  response_body text,
  error text,
  constraint webhook_attempts_pkey PRIMARY KEY (organization_id, delivery_id, number),
  constraint webhook_attempts_trigger_known CHECK ((trigger = ANY (ARRAY['automatic'::text, 'manual'::text])))
) partition by RANGE (delivery_id);

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
  automatic_count smallint not null default 0,
  is_single boolean not null default false,
  manual_requested_at timestamp with time zone,
  lane text,
  due_at timestamp with time zone,
  claimed_by uuid,
  constraint webhook_deliveries_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_deliveries_claimed CHECK (((NOT (lane IS DISTINCT FROM 'claimed'::text)) = (claimed_by IS NOT NULL))),
  constraint webhook_deliveries_due CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_lane_known CHECK ((lane = ANY (ARRAY['first'::text, 'retry'::text, 'parked'::text, 'claimed'::text, 'aside'::text]))),
  constraint webhook_deliveries_queued CHECK (((lane IS NULL) = (due_at IS NULL))),
  constraint webhook_deliveries_status_known CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text]))),
  constraint webhook_deliveries_waiting CHECK (((status <> 'pending'::text) OR (lane IS NOT NULL)))
) partition by RANGE (id);
CREATE INDEX webhook_deliveries_by_endpoint ON ONLY public.webhook_deliveries USING btree (organization_id, endpoint_id, id);
CREATE INDEX webhook_deliveries_by_lane ON ONLY public.webhook_deliveries USING btree (lane, organization_id, endpoint_id, due_at) WHERE (lane IS NOT NULL);
CREATE INDEX webhook_deliveries_open ON ONLY public.webhook_deliveries USING btree (lane, due_at) WHERE (lane = ANY (ARRAY['first'::text, 'retry'::text]));

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
  is_congested boolean not null default false,
  constraint webhook_endpoints_pkey PRIMARY KEY (organization_id, id),
  constraint webhook_endpoints_organization FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint webhook_endpoints_prefix_known CHECK ((signature_prefix = ANY (ARRAY['sha256'::text, 'v1'::text])))
) with (fillfactor=70);
CREATE INDEX webhook_endpoints_failing ON public.webhook_endpoints USING btree (organization_id, id) WHERE ((consecutive_failures > 0) AND (deleted_at IS NULL));
CREATE INDEX webhook_endpoints_listening ON public.webhook_endpoints USING btree (organization_id) WHERE (is_active AND (deleted_at IS NULL));
