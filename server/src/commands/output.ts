/** What a person, or a script, reads from a command. Logs go their own way. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** A command that was called wrongly; the message says how to call it. */
export class UsageError extends Error {}
