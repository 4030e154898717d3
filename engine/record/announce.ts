/**
 * Says that a persona has work from `at` (ms) on, and runs `commit`, which writes that work. The announcement is on disk
 * before, and whoever works here is woken after: a crash in between costs one check that finds nothing, never work that
 * nobody looks for. Passes on what `commit` returns or throws.
 */
export type Announce = <Result>(personaId: string, at: number, commit: () => Promise<Result>) => Promise<Result>;
