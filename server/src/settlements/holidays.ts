/** When the banks of a country rest, besides Saturdays and Sundays. */
export type BankCalendar = {
  readonly offsetHours: number
  /** The same every year: 12-25. */
  readonly dates: readonly string[]
  /** Days from Easter Sunday. */
  readonly easter: readonly number[]
  /** Month, weekday (1 is Monday) and which of them in the month (-1 is the last). */
  readonly weekdays: readonly (readonly [month: number, weekday: number, nth: number])[]
  /** Days that follow the moon: month and day of the Islamic calendar. */
  readonly moon: readonly Feast[]
  /** A holiday on one of these days of the week (0 is Sunday) is kept on the next day that is none. */
  readonly moves: readonly number[]
}

/** Month and day of the Islamic calendar: 10-1. */
export type Feast = `${number}-${number}`

// These days depend on who sees the moon, and are announced by each government a few days ahead. What can be known
// before is the Umm al-Qura calendar, which ICU carries. It was the day announced, or the first of the two, for Eid
// al-Fitr 2026 in Nigeria (19 and 20 March, Ministry of Interior) and Ghana (20 and 21 March, Ministry for the
// Interior, mint.gov.gh), 2024 and 2023 in Kenya (10 and 21 April, Gazette), and for Eid al-Adha 2025 in Ghana (6 June)
// and 2023 in Nigeria and Ghana (28 June). Eid al-Fitr it puts on 2026-03-20, 2027-03-09, 2028-02-26, 2029-02-14 and
// 2030-02-04, Eid al-Adha on 2026-05-27, 2027-05-16, 2028-05-05, 2029-04-24 and 2030-04-13; those who wait to see the
// moon themselves are often a day later. KOLO_BANK_HOLIDAYS says what was announced instead.
const eidAlFitr: Feast = '10-1'
const dayAfterEidAlFitr: Feast = '10-2'
const eidAlAdha: Feast = '12-10'
const dayAfterEidAlAdha: Feast = '12-11'
const mawlid: Feast = '3-12'

const SUNDAY = [0]
const WEEKEND = [0, 6]

const GOOD_FRIDAY = -2
const EASTER_MONDAY = 1
const ASCENSION = 39
const WHIT_MONDAY = 50

/** By country. */
export const bankCalendars: Readonly<Record<string, BankCalendar>> = {
  NG: {
    offsetHours: 1,
    dates: ['01-01', '05-01', '06-12', '10-01', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    moon: [eidAlFitr, dayAfterEidAlFitr, eidAlAdha, dayAfterEidAlAdha, mawlid],
    moves: WEEKEND,
  },
  GH: {
    offsetHours: 0,
    dates: ['01-01', '01-07', '03-06', '05-01', '07-01', '09-21', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [[12, 5, 1]],
    moon: [eidAlFitr, dayAfterEidAlFitr, eidAlAdha],
    moves: WEEKEND,
  },
  KE: {
    offsetHours: 3,
    dates: ['01-01', '05-01', '06-01', '10-10', '10-20', '12-12', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    moon: [eidAlFitr],
    moves: SUNDAY,
  },
  UG: {
    offsetHours: 3,
    dates: ['01-01', '01-26', '03-08', '05-01', '06-03', '06-09', '10-09', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    moon: [eidAlFitr, eidAlAdha],
    moves: [],
  },
  TZ: {
    offsetHours: 3,
    dates: ['01-01', '01-12', '04-07', '04-26', '05-01', '07-07', '08-08', '10-14', '12-09', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    moon: [eidAlFitr, eidAlAdha, mawlid],
    moves: [],
  },
  RW: {
    offsetHours: 2,
    dates: ['01-01', '01-02', '02-01', '04-07', '05-01', '07-01', '07-04', '08-15', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [[8, 5, 1]],
    moon: [eidAlFitr, eidAlAdha],
    moves: [],
  },
  ZM: {
    offsetHours: 2,
    dates: ['01-01', '03-08', '03-12', '04-28', '05-01', '05-25', '10-18', '10-24', '12-25'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [
      [7, 1, 1],
      [7, 2, 1],
      [8, 1, 1],
    ],
    moon: [],
    moves: SUNDAY,
  },
  ZA: {
    offsetHours: 2,
    dates: ['01-01', '03-21', '04-27', '05-01', '06-16', '08-09', '09-24', '12-16', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    moon: [],
    moves: SUNDAY,
  },
  CI: {
    offsetHours: 0,
    dates: ['01-01', '05-01', '08-07', '08-15', '11-01', '11-15', '12-25'],
    easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
    weekdays: [],
    moon: [eidAlFitr, eidAlAdha, mawlid],
    moves: [],
  },
  CM: {
    offsetHours: 1,
    dates: ['01-01', '02-11', '05-01', '05-20', '08-15', '12-25'],
    easter: [GOOD_FRIDAY, ASCENSION],
    weekdays: [],
    moon: [eidAlFitr, eidAlAdha],
    moves: [],
  },
  US: {
    offsetHours: -5,
    dates: ['01-01', '06-19', '07-04', '11-11', '12-25'],
    easter: [],
    weekdays: [
      [1, 1, 3],
      [2, 1, 3],
      [5, 1, -1],
      [9, 1, 1],
      [10, 1, 2],
      [11, 4, 4],
    ],
    moon: [],
    moves: SUNDAY,
  },
  GB: {
    offsetHours: 0,
    dates: ['01-01', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [
      [5, 1, 1],
      [5, 1, -1],
      [8, 1, -1],
    ],
    moon: [],
    moves: WEEKEND,
  },
  // The euro's own: the days its payment system rests.
  DE: {
    offsetHours: 1,
    dates: ['01-01', '05-01', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    moon: [],
    moves: [],
  },
}
