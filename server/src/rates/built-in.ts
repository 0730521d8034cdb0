import type { RateTable } from './table.ts'

/**
 * Rates for local and sandbox: the order of magnitude of late 2026, made up and never updated. Units for one US dollar.
 */
const perDollar: Readonly<Record<string, string>> = {
  USD: '1',
  NGN: '1500',
  GHS: '11.2',
  KES: '129.5',
  UGX: '3560',
  TZS: '2460',
  RWF: '1450',
  ZMW: '23.4',
  ZAR: '17.35',
  XOF: '562.5',
  XAF: '562.5',
  GBP: '0.752',
  EUR: '0.8575',
}

export function builtInTable(now: Date): RateTable {
  return { source: 'built-in', base: 'USD', asOf: now, rates: perDollar }
}
