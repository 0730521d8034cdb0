/** A spreadsheet reads a cell that begins so as a formula, and would run it. */
const formula = /^[=+\-@\t\r]/

/** One line of a CSV file (RFC 4180). Text that a spreadsheet would run is made plain by an apostrophe before it. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
