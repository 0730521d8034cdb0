import { bankCalendars, type BankCalendar } from './holidays.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** Settlement reaches the books in the morning of its day, by the country's clock. */
const MORNING_HOUR = 9
/** A country nobody wrote down has weekends, and no holidays. */
const weekendsOnly: BankCalendar = { offsetHours: 0, dates: [], easter: [], weekdays: [], announced: [] }

/** The morning of the n-th business day of a country after an instant. */
export function businessDaysAfter(from: Date, days: number, country: string): Date {
  const calendar = bankCalendars[country] ?? weekendsOnly
  const offsetMs = calendar.offsetHours * HOUR_MS
  // Days are counted as midnights of UTC; the offset is put back at the end.
  let dayMs = Math.floor((from.getTime() + offsetMs) / DAY_MS) * DAY_MS
  for (let left = days; left > 0;) {
    dayMs += DAY_MS
    if (isBusinessDay(new Date(dayMs), calendar)) left -= 1
  }
  return new Date(Math.max(from.getTime(), dayMs + MORNING_HOUR * HOUR_MS - offsetMs))
}

function isBusinessDay(day: Date, { dates, easter, weekdays, announced }: BankCalendar): boolean {
  if (day.getUTCDay() === 0 || day.getUTCDay() === 6) return false
  const [year, text] = [day.getUTCFullYear(), day.toISOString().slice(0, 10)]
  const isHoliday =
    dates.includes(text.slice(5)) ||
    announced.includes(text) ||
    easter.some((days) => easterMs(year) + days * DAY_MS === day.getTime()) ||
    weekdays.some(([month, weekday, nth]) => nthWeekdayMs(year, month, weekday, nth) === day.getTime())
  return !isHoliday
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
