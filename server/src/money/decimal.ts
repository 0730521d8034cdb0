/** A decimal number as written: `digits` × 10^-`scale`, without trailing zeros in the fraction. */
export type Decimal = { readonly digits: bigint; readonly scale: number }

const shape = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/

/** Longer numbers are refused before they are multiplied out: nobody pays with a thousand digits. */
const MAX_DIGITS = 64

/** Reads a JSON number's text exactly; undefined when it is not one, or absurdly long. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = shape.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  let scale = fraction.length - Number(exponent)
  let digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return { digits: 0n, scale: 0 }
  while (scale > 0 && digits.endsWith('0')) {
    digits = digits.slice(0, -1)
    scale -= 1
  }
  if (digits.length > MAX_DIGITS || Math.abs(scale) > MAX_DIGITS) return undefined
  if (scale < 0) {
    digits += '0'.repeat(-scale)
    scale = 0
  }
  return { digits: BigInt(sign + digits), scale }
}

/** The decimal in plain notation: 1.5, 0.000001, 1000. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  return sign + whole + (fraction === '' ? '' : `.${fraction}`)
}
