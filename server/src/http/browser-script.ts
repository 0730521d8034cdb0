import { stripTypeScriptTypes } from 'node:module'
import { atFirstUse } from '../first-use.ts'

/** Scripts of pages are written in TypeScript and lose only their types. */
export function browserScript(source: string): string {
  warned()
  return withoutPadding(stripTypeScriptTypes(source))
}

/** Node calls the stripping of types experimental, once, on stderr: nothing an operator could do anything about. */
const warned = atFirstUse(() => {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    stripTypeScriptTypes('')
  } finally {
    process.emitWarning = emitWarning
  }
})

/** Types leave blanks where they stood, to keep columns; a browser need not load them. */
function withoutPadding(script: string): string {
  return script.replace(/[ \t]+$/gm, '').replace(/\n{2,}/g, '\n')
}
