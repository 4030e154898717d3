/** Two ahead of UTC and one behind it, with changes of the clock in spring, in autumn and none; and the one of personas. */
export const ZONES = [
  'Europe/Berlin',
  'Pacific/Auckland',
  // No name of a zone is longer.
  'America/Argentina/ComodRivadavia',
  'UTC',
] as const;

export interface TestDate {
  /** What it is there for. */
  readonly why: string;
  /** What a clock on the wall of the zone shows when the run begins. */
  readonly at: string;
  readonly zone: (typeof ZONES)[number];
  /** At these every file is run, at the others those that read a clock. */
  readonly everyFile?: true;
}

/** When tests have to pass as well: each zone at four of them, each weekday at one at least. */
export const DATES: readonly TestDate[] = [
  { why: 'the longest names: Wednesday, September', at: '2026-09-30T12:34:56', zone: ZONES[2], everyFile: true },
  { why: 'the last minute of 29 February', at: '2028-02-29T23:59:00', zone: ZONES[3], everyFile: true },
  { why: 'clocks go forward in a minute', at: '2027-03-28T01:59:00', zone: ZONES[0], everyFile: true },
  { why: 'clocks go back in a minute', at: '2027-10-31T02:59:00', zone: ZONES[0] },
  { why: 'clocks go forward in the south', at: '2027-09-26T01:59:00', zone: ZONES[1] },
  { why: 'clocks go back in the south', at: '2027-04-04T02:59:00', zone: ZONES[1] },
  { why: 'the last minute of a year', at: '2026-12-31T23:59:00', zone: ZONES[3] },
  { why: 'the first minute of a year', at: '2027-01-01T00:00:01', zone: ZONES[3] },
  { why: 'the shortest names: Friday, May', at: '2026-05-01T09:00:00', zone: ZONES[1] },
  { why: 'a minute before 29 February', at: '2028-02-28T23:59:00', zone: ZONES[0] },
  { why: 'a minute before March where there is no 29 February', at: '2027-02-28T23:59:00', zone: ZONES[2] },
  { why: 'a Monday', at: '2027-06-14T08:00:00', zone: ZONES[3] },
  { why: 'a Tuesday', at: '2027-08-03T17:30:00', zone: ZONES[2] },
  { why: 'a Thursday', at: '2026-11-26T03:00:00', zone: ZONES[2] },
  { why: 'a Saturday that is a Friday in UTC', at: '2026-11-28T00:30:00', zone: ZONES[1] },
  { why: 'a Sunday that is a Saturday in UTC', at: '2027-07-04T01:00:00', zone: ZONES[0] },
];
