import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Every metric of the service, by name, in one place. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Counter({
      name: 'kolo_http_requests_total',
      help: 'Answers by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'kolo_http_request_seconds',
      help: 'Time from request to answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    poolConnections: new Gauge({
      name: 'kolo_db_pool_connections',
      help: 'Connections of the pool by state.',
      labelNames: ['state'],
      registers,
    }),
    notices: new Counter({
      name: 'kolo_rail_notices_total',
      help: 'Notices of providers by what they were.',
      labelNames: ['rail', 'outcome'],
      registers,
    }),
    noticesUnmatched: new Gauge({
      name: 'kolo_rail_notices_unmatched',
      help: 'Notices of providers that wait for a person: belong to nobody, are on their way back, cannot be read.',
      labelNames: ['status'],
      registers,
    }),
    railBreakerOpen: new Gauge({
      name: 'kolo_rail_breaker_open',
      help: '1 while a provider is left alone because it has not been answering, by rail and capability.',
      labelNames: ['rail', 'capability'],
      registers,
    }),
    railSilences: new Gauge({
      name: 'kolo_rail_silences',
      help: 'Calls in a row a provider has not answered, by rail and capability.',
      labelNames: ['rail', 'capability'],
      registers,
    }),
    payoutAnswers: new Counter({
      name: 'kolo_payout_answers_total',
      help: 'What rails answered about payouts, by step and answer.',
      labelNames: ['rail', 'step', 'answer'],
      registers,
    }),
    databaseUp: new Gauge({ name: 'kolo_db_up', help: '1 while the database answers.', registers }),
    workerRounds: new Counter({
      name: 'kolo_worker_rounds_total',
      help: 'Rounds of a worker, also those that found nothing. One that stands still is stuck.',
      labelNames: ['worker'],
      registers,
    }),
    workerRows: new Counter({
      name: 'kolo_worker_rows_total',
      help: 'Rows a worker has worked.',
      labelNames: ['worker'],
      registers,
    }),
    workerFailures: new Counter({
      name: 'kolo_worker_failures_total',
      help: 'Rounds of a worker that failed.',
      labelNames: ['worker'],
      registers,
    }),
    workerSeconds: new Histogram({
      name: 'kolo_worker_round_seconds',
      help: 'Time of a round that found work.',
      labelNames: ['worker'],
      registers,
    }),
    webhookDeliveries: new Counter({
      name: 'kolo_webhook_deliveries_total',
      help: 'Recorded attempts by the status they left their delivery in.',
      labelNames: ['status'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'kolo_webhook_attempts_total',
      help: 'Webhook attempts by outcome: delivered, refused, no_answer, or not_sent for a fault of ours.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAttemptSeconds: new Histogram({
      name: 'kolo_webhook_attempt_seconds',
      help: 'Time of a webhook attempt.',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
      registers,
    }),
    webhookOldestDueSeconds: new Gauge({
      name: 'kolo_webhook_oldest_due_seconds',
      help: 'Age of the oldest webhook delivery that is due and not under way.',
      registers,
    }),
    webhookEndpointsFailing: new Gauge({
      name: 'kolo_webhook_endpoints_failing',
      help: 'Endpoints whose last attempt failed.',
      registers,
    }),
    setAside: new Gauge({
      name: 'kolo_rows_set_aside',
      help: 'Rows set aside because they could not be worked.',
      labelNames: ['worker'],
      registers,
    }),
    unsealedAccounts: new Gauge({
      name: 'kolo_ledger_unsealed_accounts',
      help: 'Accounts with lines that no seal covers yet.',
      registers,
    }),
    auditFindings: new Gauge({
      name: 'kolo_audit_findings',
      help: 'What the audit of the books has found and not yet seen put right. Anything but 0 needs a person.',
      registers,
    }),
    auditedLines: new Counter({ name: 'kolo_audit_lines_total', help: 'Ledger lines audited.', registers }),
    auditPasses: new Counter({
      name: 'kolo_audit_passes_total',
      help: 'Times this process has finished auditing all books.',
      registers,
    }),
    ratesAgeSeconds: new Gauge({
      name: 'kolo_rates_age_seconds',
      help: 'Age of the exchange rates the configured source last gave.',
      registers,
    }),
    ratesFailures: new Counter({
      name: 'kolo_rates_failures_total',
      help: 'Times the configured source of exchange rates could not be read.',
      registers,
    }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
