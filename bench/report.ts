import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Baseline } from './baseline.ts'

/** One figure of a bench. `ratio` is to the baseline's transactions unless `to` says to what. */
export type Figure = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly ratio?: number
  readonly to?: string
}

/** What the figures had to reach. */
export type Bar = { readonly name: string; readonly isMet: boolean; readonly says: string }

export type Report = {
  readonly bench: string
  readonly measuredAt: string
  readonly machine: string
  readonly postgres: string
  readonly baselines: readonly Baseline[]
  readonly figures: readonly Figure[]
  readonly bars: readonly Bar[]
}

const folder = fileURLToPath(new URL('results/', import.meta.url))

export function describeMachine(): string {
  const processors = cpus()
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
}

export function writeReport(report: Report): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}${report.bench}.json`, `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(`${folder}${report.bench}.md`, reportText(report))
}

export function reportText({ bench, measuredAt, machine, postgres, baselines, figures, bars }: Report): string {
  const rows = [
    ...baselines.map(({ perSecond, byClients }, index) => ({
      name: `TPC-B baseline, round ${index + 1} (${Object.entries(byClients)
        .map(([clients, rate]) => `${clients} clients: ${number(rate)}`)
        .join(', ')})`,
      value: perSecond,
      unit: 'transactions/s',
    })),
    ...figures,
  ]
  return [
    `# ${bench}`,
    '',
    `Measured ${measuredAt} on ${machine}, ${postgres}.`,
    '',
    '| what | value | unit | ratio |',
    '| --- | --: | --- | --- |',
    ...rows.map((row) => `| ${row.name} | ${number(row.value)} | ${row.unit} | ${ratioText(row)} |`),
    '',
    ...bars.map(({ name, isMet, says }) => `- ${isMet ? 'met' : '**missed**'}: ${name} (${says})`),
    '',
  ].join('\n')
}

function ratioText({ ratio, to = 'baseline' }: Partial<Figure>): string {
  return ratio === undefined ? '' : `${ratio.toFixed(2)} × ${to}`
}

function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
