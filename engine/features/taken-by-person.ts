import type { BeforeRun } from '../harness/features.ts';
import { TAKEN } from '../harness/respond/respond.ts';

/** A person has taken the thread since its mail came. What was begun goes on: an owner may have said yes to a call of it. */
export const takenByPerson: BeforeRun = async ({ loaded: { trigger, thread, run, decided } }) =>
  trigger.kind === 'mail' && decided === undefined && thread.taken_by !== null && run.model_calls === 0
    ? { status: 'done', ...TAKEN }
    : null;
