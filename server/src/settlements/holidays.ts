/** When the banks of a country rest, besides Saturdays and Sundays. */
export type BankCalendar = {
  readonly offsetHours: number
  /** The same every year: 12-25. */
  readonly dates: readonly string[]
  /** Days from Easter Sunday. */
  readonly easter: readonly number[]
  /** Month, weekday (1 is Monday) and which of them in the month (-1 is the last). */
  readonly weekdays: readonly (readonly [month: number, weekday: number, nth: number])[]
  /** Days that follow the moon, as far ahead as they are written down. */
  readonly announced: readonly string[]
}

const eidAlFitr = ['2026-03-20', '2027-03-10', '2028-02-27', '2029-02-15', '2030-02-05']
const eidAlAdha = ['2026-05-27', '2027-05-17', '2028-05-05', '2029-04-24', '2030-04-14']
const mawlid = ['2026-08-26', '2027-08-15', '2028-08-04', '2029-07-24', '2030-07-13']

const GOOD_FRIDAY = -2
const EASTER_MONDAY = 1
const ASCENSION = 39
const WHIT_MONDAY = 50

/** By country. A government that moves a day changes this table. */
export const bankCalendars: Readonly<Record<string, BankCalendar>> = {
  NG: {
    offsetHours: 1,
    dates: ['01-01', '05-01', '06-12', '10-01', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: [...eidAlFitr, ...eidAlAdha, ...mawlid],
  },
  GH: {
    offsetHours: 0,
    dates: ['01-01', '01-07', '03-06', '05-01', '07-01', '09-21', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [[12, 5, 1]],
    announced: [...eidAlFitr, ...eidAlAdha],
  },
  KE: {
    offsetHours: 3,
    dates: ['01-01', '05-01', '06-01', '10-10', '10-20', '12-12', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: eidAlFitr,
  },
  UG: {
    offsetHours: 3,
    dates: ['01-01', '01-26', '03-08', '05-01', '06-03', '06-09', '10-09', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: [...eidAlFitr, ...eidAlAdha],
  },
  TZ: {
    offsetHours: 3,
    dates: ['01-01', '01-12', '04-07', '04-26', '05-01', '07-07', '08-08', '10-14', '12-09', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: [...eidAlFitr, ...eidAlAdha, ...mawlid],
  },
  RW: {
    offsetHours: 2,
    dates: ['01-01', '01-02', '02-01', '04-07', '05-01', '07-01', '07-04', '08-15', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: [...eidAlFitr, ...eidAlAdha],
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
    announced: [],
  },
  ZA: {
    offsetHours: 2,
    dates: ['01-01', '03-21', '04-27', '05-01', '06-16', '08-09', '09-24', '12-16', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: [],
  },
  CI: {
    offsetHours: 0,
    dates: ['01-01', '05-01', '08-07', '08-15', '11-01', '11-15', '12-25'],
    easter: [EASTER_MONDAY, ASCENSION, WHIT_MONDAY],
    weekdays: [],
    announced: [...eidAlFitr, ...eidAlAdha, ...mawlid],
  },
  CM: {
    offsetHours: 1,
    dates: ['01-01', '02-11', '05-01', '05-20', '08-15', '12-25'],
    easter: [GOOD_FRIDAY, ASCENSION],
    weekdays: [],
    announced: [...eidAlFitr, ...eidAlAdha],
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
    announced: [],
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
    announced: [],
  },
  // The euro's own: the days its payment system rests.
  DE: {
    offsetHours: 1,
    dates: ['01-01', '05-01', '12-25', '12-26'],
    easter: [GOOD_FRIDAY, EASTER_MONDAY],
    weekdays: [],
    announced: [],
  },
}
