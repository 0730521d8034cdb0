import { parseArgs } from 'node:util'
import { auditEverything } from '../audit/operations.ts'
import { say } from './output.ts'
import { withCore } from './with-core.ts'

/** kolo audit [--org ID] [--json]: ends with 1 when the books hold something that cannot be. */
export async function audit(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { org: { type: 'string' }, json: { type: 'boolean' } } })
  const { organizations, lines, findings } = await withCore(({ deps }) => auditEverything(deps, values.org))
  const isFine = findings.length === 0
  if (values.json) say(JSON.stringify({ isFine, organizations, lines, findings }))
  else {
    for (const { check, organizationId, subject, says } of findings)
      say(`WRONG  ${check}, organization ${organizationId}, ${subject}: ${says}`)
    say(`${isFine ? 'ok   ' : 'WRONG'}  ${organizations} organizations, ${lines} lines, ${findings.length} findings`)
  }
  process.exitCode = isFine ? 0 : 1
}
