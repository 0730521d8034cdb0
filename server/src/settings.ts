import { faultPoints } from './fault-point.ts'
import {
  addressList,
  anyText,
  anyUrl,
  bankHolidays,
  currencyList,
  databaseUrl,
  jwtKeys,
  masterKeys,
  oneOf,
  origin,
  wholeNumber,
} from './setting-readers.ts'

export type Setting<T> = {
  readonly variable: string
  readonly about: string
  readonly parse: (text: string) => T
  readonly byDefault?: string
  readonly isSecret?: true
}

/**
 * Every setting of the service: the variable, what it is for, how it is read, its default.
 * `.env.example` lists the same ones; a test compares the two.
 */
export const settings = {
  env: {
    variable: 'KOLO_ENV',
    about: 'Which environment this deployment is: local, sandbox or production.',
    parse: oneOf('local', 'sandbox', 'production'),
    byDefault: 'local',
  },
  port: {
    variable: 'PORT',
    about: 'Port of the API. Unset: the next free one from 4000.',
    parse: wholeNumber(0, 65_535),
  },
  host: {
    variable: 'HOST',
    about: 'Address to listen on. Unset: loopback in local, all addresses elsewhere.',
    parse: anyText,
  },
  publicUrl: {
    variable: 'KOLO_PUBLIC_URL',
    about:
      'Origin under which others reach this deployment; links and documentation are made from it, e.g. https://pay.example.com.',
    parse: origin,
  },
  dataDir: {
    variable: 'KOLO_DATA_DIR',
    about: 'Folder of the embedded PostgreSQL, local.json and generated keys. Unset: .kolo in the checkout.',
    parse: anyText,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    about:
      'PostgreSQL to use, e.g. postgres://user:password@host:5432/kolo. Unset: an embedded PostgreSQL in the data folder.',
    parse: databaseUrl,
    isSecret: true,
  },
  databasePoolSize: {
    variable: 'KOLO_DATABASE_POOL_SIZE',
    about: 'Most connections one process opens to PostgreSQL.',
    parse: wholeNumber(2, 500),
    byDefault: '16',
  },
  databaseWaitMs: {
    variable: 'KOLO_DATABASE_WAIT_MS',
    about: 'How long a request waits for a free connection before it is answered 503.',
    parse: wholeNumber(10, 60_000),
    byDefault: '3000',
  },
  masterKeys: {
    variable: 'KOLO_MASTER_KEY',
    about:
      'Keys for secrets at rest as <id>:<32 bytes in base64>, comma separated, the current one first. Unset outside production: made in the data folder.',
    parse: masterKeys,
    isSecret: true,
  },
  jwtKeys: {
    variable: 'KOLO_JWT_KEYS',
    about:
      'Private JWKs (OKP, Ed25519) as a JSON array, the signing one first. Unset outside production: made in the data folder.',
    parse: jwtKeys,
    isSecret: true,
  },
  currencies: {
    variable: 'KOLO_CURRENCIES',
    about: 'Currencies every organization has a wallet in, comma separated.',
    parse: currencyList,
    byDefault: 'NGN,GHS,KES,UGX,TZS,RWF,ZMW,ZAR,XOF,XAF,USD,GBP,EUR',
  },
  ratesUrl: {
    variable: 'KOLO_RATES_URL',
    about:
      'HTTP source of exchange rates. Production needs this or KOLO_RATES_FILE to convert; elsewhere a built-in table serves.',
    parse: anyUrl,
  },
  ratesFile: {
    variable: 'KOLO_RATES_FILE',
    about: 'File with exchange rates, read again when it changes.',
    parse: anyText,
  },
  ratesMaxAgeSeconds: {
    variable: 'KOLO_RATES_MAX_AGE_SECONDS',
    about: 'A rate older than this is not used.',
    parse: wholeNumber(1, 604_800),
    byDefault: '3600',
  },
  ratesSpreadBasisPoints: {
    variable: 'KOLO_RATES_SPREAD_BASIS_POINTS',
    about: 'What is taken off a rate between two currencies, in hundredths of a percent.',
    parse: wholeNumber(0, 5_000),
    byDefault: '100',
  },
  feeVirtualAccountBasisPoints: {
    variable: 'KOLO_FEE_VIRTUAL_ACCOUNT_BASIS_POINTS',
    about: 'Fee of a virtual-account credit, in hundredths of a percent.',
    parse: wholeNumber(0, 10_000),
    byDefault: '100',
  },
  feeVirtualAccountCapNgn: {
    variable: 'KOLO_FEE_VIRTUAL_ACCOUNT_CAP_NGN',
    about: 'Most a virtual-account credit costs, in naira.',
    parse: wholeNumber(0, 1_000_000_000),
    byDefault: '300',
  },
  feePaymentBasisPoints: {
    variable: 'KOLO_FEE_PAYMENT_BASIS_POINTS',
    about: 'Fee of a payment, from its target amount, taken at settlement, in hundredths of a percent.',
    parse: wholeNumber(0, 10_000),
    byDefault: '150',
  },
  feePayoutBasisPoints: {
    variable: 'KOLO_FEE_PAYOUT_BASIS_POINTS',
    about: 'Fee of a payout, on top of its source amount, in hundredths of a percent.',
    parse: wholeNumber(0, 10_000),
    byDefault: '50',
  },
  feePayoutCapNgn: {
    variable: 'KOLO_FEE_PAYOUT_CAP_NGN',
    about: 'Most a payout from an NGN wallet costs, in naira.',
    parse: wholeNumber(0, 1_000_000_000),
    byDefault: '50',
  },
  settlementSeconds: {
    variable: 'KOLO_SETTLEMENT_SECONDS',
    about:
      'Settles a payment this many seconds after execution; "provider": when its provider does. Unset: 5 in local and sandbox, provider in production.',
    parse: (text: string) => (text === 'provider' ? text : wholeNumber(0, 2_592_000)(text)),
  },
  bankHolidays: {
    variable: 'KOLO_BANK_HOLIDAYS',
    about:
      'Days on which banks rest, or after all do not, where the built-in calendar says otherwise: country, + or -, date, comma separated, e.g. NG+2027-03-11,NG-2027-03-09. Days that follow the moon are announced shortly before.',
    parse: bankHolidays,
    byDefault: '',
  },
  railTimeoutMs: {
    variable: 'RAIL_TIMEOUT_MS',
    about: 'Longest time a call to a provider may take; after it the outcome is unknown.',
    parse: wholeNumber(50, 60_000),
    byDefault: '5000',
  },
  creditQuestionMs: {
    variable: 'KOLO_CREDIT_QUESTION_MS',
    about: 'How often providers are asked for credits of virtual accounts whose notice never came.',
    parse: wholeNumber(100, 3_600_000),
    byDefault: '30000',
  },
  simulatorPort: {
    variable: 'SIMULATOR_PORT',
    about: 'Port of the built-in provider of local and sandbox. Unset: the next free one from 4100.',
    parse: wholeNumber(0, 65_535),
  },
  simulatorPublicUrl: {
    variable: 'SIMULATOR_PUBLIC_URL',
    about: "Origin under which payers' browsers reach the pages of the built-in provider.",
    parse: origin,
  },
  corsOrigins: {
    variable: 'KOLO_CORS_ORIGINS',
    about: 'Origins whose pages may call the API from a browser, comma separated. Unset: none.',
    parse: (text: string) => text.split(',').map((part) => origin(part.trim())),
  },
  metricsToken: {
    variable: 'KOLO_METRICS_TOKEN',
    about: 'Bearer token of /metrics. In production /metrics answers only with it.',
    parse: anyText,
    isSecret: true,
  },
  retentionDays: {
    variable: 'KOLO_RETENTION_DAYS',
    about: 'How long events and webhook deliveries are kept and shown.',
    parse: wholeNumber(7, 3_650),
    byDefault: '90',
  },
  rateLimitReads: {
    variable: 'KOLO_RATE_LIMIT_READS',
    about: 'Reads a key or member may make a second; 0: any number. Unset: 100, and any number in local.',
    parse: wholeNumber(0, 1_000_000),
  },
  rateLimitWrites: {
    variable: 'KOLO_RATE_LIMIT_WRITES',
    about: 'Writes a key or member may make a second; 0: any number. Unset: 25, and any number in local.',
    parse: wholeNumber(0, 1_000_000),
  },
  trustedProxies: {
    variable: 'KOLO_TRUSTED_PROXIES',
    about:
      'Addresses or ranges of proxies in front of the service, comma separated; the address of the caller is then read from X-Forwarded-For. Unset: the connection says it.',
    parse: addressList,
  },
  webhookTimeoutMs: {
    variable: 'KOLO_WEBHOOK_TIMEOUT_MS',
    about:
      'How long an endpoint has to answer a webhook. The interface promises 30 seconds; shorter ones are for tests.',
    parse: wholeNumber(50, 30_000),
    byDefault: '30000',
  },
  logLevel: {
    variable: 'KOLO_LOG_LEVEL',
    about:
      'Least level that is logged: fatal, error, warn, info, debug, trace or silent. Unset: warn in local, info elsewhere.',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  workerSilenceMs: {
    variable: 'KOLO_WORKER_SILENCE_MS',
    about: 'A process that has not been heard of for this long loses its claims.',
    parse: wholeNumber(500, 600_000),
    byDefault: '10000',
  },
  faultPoint: {
    variable: 'KOLO_FAULT_POINT',
    about: 'For tests: where this process ends as if the power had failed. Refused in production.',
    parse: oneOf(...faultPoints),
  },
  drainMs: {
    variable: 'KOLO_DRAIN_MS',
    about: 'Longest time between SIGTERM and exit.',
    parse: wholeNumber(100, 120_000),
    byDefault: '25000',
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings
