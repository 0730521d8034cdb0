/** The wall clock: leases, heartbeats, time-outs. Never stored on, or compared with, a business record. */
export function wallNow(): Date {
  return new Date()
}

/** Where the service clock stands: the wall clock plus an offset, or one instant while the clock is being moved. */
export type ClockSetting = { readonly offsetMs: bigint; readonly frozenAt: Date | null; readonly revision: number }

/** The service clock of this process: gives every instant stored on or compared with a record. */
export type Clock = {
  now(): Date
  setting(): ClockSetting
  /** Takes over what the database says; an older revision changes nothing, so that time only goes forward. */
  apply(setting: ClockSetting): void
}

export function createClock(): Clock {
  let current: ClockSetting = { offsetMs: 0n, frozenAt: null, revision: 0 }
  const now = () => current.frozenAt ?? new Date(wallNow().getTime() + Number(current.offsetMs))

  /** Whoever stopped the clock read it a moment ago; what this process has shown since is not taken back. */
  function notBefore(instant: Date): Date {
    const shown = now()
    return shown > instant ? shown : instant
  }
  return {
    now,
    setting: () => current,
    apply(setting) {
      if (setting.revision < current.revision) return
      current = { ...setting, frozenAt: setting.frozenAt && notBefore(setting.frozenAt) }
    },
  }
}
