/** Text that is HTML already. Only `html` makes it, so that nothing reaches a page unescaped. */
export type Html = { readonly html: string }

type Part = Html | readonly Html[] | string | number | null | undefined | false

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template whose values are escaped, except those that are HTML already. Nothing stands for nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.reduce((text, next, index) => text + written(parts[index - 1]) + next) }
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => entities[character]!)
  if (typeof part === 'number') return String(part)
  return 'html' in part ? part.html : part.map((each) => each.html).join('')
}
