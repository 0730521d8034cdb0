import { bankCalendars, type BankCalendar, type Feast } from './holidays.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** Settlement reaches the books in the morning of its day, by the country's clock. */
const MORNING_HOUR = 9
/** A country nobody wrote down has weekends, and no holidays. */
const weekendsOnly: BankCalendar = { offsetHours: 0, dates: [], easter: [], weekdays: [], moon: [], moves: [] }

/** The morning of the n-th business day of a country after an instant. */
export function businessDaysAfter(
  from: Date,
  days: number,
  country: string,
  changes: readonly HolidayChange[] = [],
): Date {
  const offsetMs = (bankCalendars[country] ?? weekendsOnly).offsetHours * HOUR_MS
  // Days are counted as midnights of UTC; the offset is put back at the end.
  let dayMs = Math.floor((from.getTime() + offsetMs) / DAY_MS) * DAY_MS
  for (let left = days; left > 0;) {
    dayMs += DAY_MS
    if (isBusinessDay(new Date(dayMs), country, changes)) left -= 1
  }
  return new Date(Math.max(from.getTime(), dayMs + MORNING_HOUR * HOUR_MS - offsetMs))
}

/** What an operator says of a day, over what the calendar says. */
export type HolidayChange = { readonly country: string; readonly date: string; readonly isHoliday: boolean }

function isBusinessDay(day: Date, country: string, changes: readonly HolidayChange[]): boolean {
  if (isWeekend(day)) return false
  const date = day.toISOString().slice(0, 10)
  const change = changes.find((one) => one.country === country && one.date === date)
  return !(change?.isHoliday ?? holidaysOf(country, day.getUTCFullYear()).has(date))
}

function isWeekend(day: Date): boolean {
  return day.getUTCDay() === 0 || day.getUTCDay() === 6
}

/** Reading a year of the moon takes some milliseconds: done once. */
const known = new Map<string, ReadonlySet<string>>()

function holidaysOf(country: string, year: number): ReadonlySet<string> {
  const key = `${country} ${year}`
  const holidays = known.get(key) ?? findHolidays(bankCalendars[country] ?? weekendsOnly, year)
  known.set(key, holidays)
  return holidays
}

/** The holidays of a year, those included that were moved from a weekend. */
function findHolidays(calendar: BankCalendar, year: number): ReadonlySet<string> {
  const days = daysOf(year).filter((day) => isNamed(day, calendar))
  const holidays = new Set(days.map((day) => day.toISOString().slice(0, 10)))
  for (const day of days) {
    if (!calendar.moves.includes(day.getUTCDay())) continue
    let next = day
    while (isWeekend(next) || holidays.has(next.toISOString().slice(0, 10))) next = new Date(next.getTime() + DAY_MS)
    holidays.add(next.toISOString().slice(0, 10))
  }
  return holidays
}

function daysOf(year: number): Date[] {
  const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
  return Array.from({ length: (to - from) / DAY_MS }, (_, index) => new Date(from + index * DAY_MS))
}

function isNamed(day: Date, { dates, easter, weekdays, moon }: BankCalendar): boolean {
  const year = day.getUTCFullYear()
  return (
    dates.includes(day.toISOString().slice(5, 10)) ||
    easter.some((days) => easterMs(year) + days * DAY_MS === day.getTime()) ||
    weekdays.some(([month, weekday, nth]) => nthWeekdayMs(year, month, weekday, nth) === day.getTime()) ||
    (moon.length > 0 && moon.includes(moonDay(day)))
  )
}

const ummAlQura = new Intl.DateTimeFormat('en-u-ca-islamic-umalqura', {
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
})

function moonDay(day: Date): Feast {
  const parts = ummAlQura.formatToParts(day)
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
  return `${part('month')}-${part('day')}`
}

function nthWeekdayMs(year: number, month: number, weekday: number, nth: number): number {
  const from = nth > 0 ? Date.UTC(year, month - 1, 1) : Date.UTC(year, month, 0)
  const ahead = nth > 0 ? weekday - new Date(from).getUTCDay() : new Date(from).getUTCDay() - weekday
  const days = ((ahead + 7) % 7) + (Math.abs(nth) - 1) * 7
  return from + (nth > 0 ? days : -days) * DAY_MS
}

/** Easter Sunday of the Gregorian calendar, by the rule of Meeus, Jones and Butcher. */
function easterMs(year: number): number {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100]
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const sum = h + l - 7 * m + 114
  return Date.UTC(year, Math.floor(sum / 31) - 1, (sum % 31) + 1)
}
