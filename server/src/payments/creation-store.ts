import type { Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { announcing } from '../events/emit.ts'
import { envelope, type NewEvent } from '../events/envelope.ts'
import type { PaymentRow } from './store.ts'

// Everything new payments leave behind, in one round trip: themselves, their links, their histories, their events and
// the deliveries of those. A payment made with one statement per thing reached 0.16 of a bare insert.
const insertSql = sql<{ id: string; deliveries: number }>`
  with wanted as (
    select organization_id, id, reference, source_amount, source_currency, target_amount, target_currency, exchange_rate,
           rate_source, rate_as_of, quote_id, fee_amount, customer_id, description, metadata, redirect_url, link_token,
           link_expires_at, expires_at, created_by, created_at, event_id, event_type, payload
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::numeric[],
                  $9::text[], $10::timestamptz[], $11::uuid[], $12::bigint[], $13::uuid[], $14::text[], $15::text[],
                  $16::text[], $17::text[], $18::timestamptz[], $19::timestamptz[], $20::uuid[], $21::timestamptz[],
                  $22::uuid[], $23::text[], $24::text[])
        as t (organization_id, id, reference, source_amount, source_currency, target_amount, target_currency,
              exchange_rate, rate_source, rate_as_of, quote_id, fee_amount, customer_id, description, metadata,
              redirect_url, link_token, link_expires_at, expires_at, created_by, created_at, event_id, event_type, payload)
  ), payment as (
    insert into payments (organization_id, id, reference, status, announced_status, source_amount, source_currency,
                          target_amount, target_currency, exchange_rate, rate_source, rate_as_of, quote_id, fee_amount,
                          customer_id, description, metadata, redirect_url, link_token, link_expires_at, expires_at,
                          created_by, created_at, updated_at)
    select organization_id, id, reference, 'created', 'created', source_amount, source_currency, target_amount,
           target_currency, exchange_rate, rate_source, rate_as_of, quote_id, fee_amount, customer_id, description,
           metadata::json, redirect_url, link_token, link_expires_at, expires_at, created_by, created_at, created_at
      from wanted
    on conflict on constraint payments_reference_taken do nothing
    returning id
  ), made as (
    select w.organization_id, w.id, w.link_token, w.created_at, w.event_id, w.event_type, w.payload
      from wanted w join payment p on p.id = w.id
  ), link as (
    insert into payment_links (token, organization_id, payment_id) select link_token, organization_id, id from made
  ), history as (
    insert into status_history (organization_id, resource_id, number, resource_type, status, event_id, at)
    select organization_id, id, 1, 'payment', 'created', event_id, created_at from made
  ), announced as (
    select organization_id, event_id as id, event_type as type, payload, created_at from made
  ), ${announcing}
  select id, (select count(*)::integer from delivery) as deliveries from made`

/** Writes new payments with everything that belongs to their creation; answers the ids of those whose reference was free. */
export async function insertPayments(
  tx: Tx,
  payments: readonly { row: PaymentRow; event: NewEvent }[],
): Promise<ReadonlySet<string>> {
  if (payments.length === 0) return new Set()
  // In one order for everybody: who waits for another's reference holds none the other waits for.
  const keyOf = ({ row }: { row: PaymentRow }) => `${row.organizationId}/${row.reference}`
  const sorted = payments.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const column = (name: keyof PaymentRow) => sorted.map(({ row }) => row[name])
  const made = await tx.many(insertSql, [
    ...[
      ...(['organizationId', 'id', 'reference', 'sourceAmount', 'sourceCurrency', 'targetAmount'] as const),
      ...(['targetCurrency', 'exchangeRate', 'rateSource', 'rateAsOf', 'quoteId', 'feeAmount'] as const),
      ...(['customerId', 'description'] as const),
    ].map(column),
    sorted.map(({ row }) => row.metadata && JSON.stringify(row.metadata)),
    ...(['redirectUrl', 'linkToken', 'linkExpiresAt', 'expiresAt', 'createdBy', 'createdAt'] as const).map(column),
    sorted.map(({ event }) => event.id),
    sorted.map(({ event }) => event.type),
    sorted.map(({ event }) => envelope(event)),
  ])
  if (made[0] && made[0].deliveries > 0) tx.wake('webhooks')
  return new Set(made.map(({ id }) => id))
}
