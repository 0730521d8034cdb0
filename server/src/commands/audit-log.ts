import { parseArgs } from 'node:util'
import { verifyLogs } from '../audit-log/verify.ts'
import { say } from './output.ts'
import { withCore } from './with-core.ts'

/** kolo audit-log verify [--json]: ends with 1 when an entry is not what was written. */
export async function auditLogVerify(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } })
  const findings = await withCore(({ deps }) => verifyLogs(deps.db, deps.secrets))
  if (values.json) say(JSON.stringify(findings.map((finding) => ({ ...finding, number: Number(finding.number) }))))
  else if (findings.length === 0) say('Every entry is what was written.')
  for (const { organizationId, number, says } of values.json ? [] : findings)
    say(`organization ${organizationId}: entry ${number} ${says}`)
  process.exitCode = findings.length === 0 ? 0 : 1
}
