import { loadedAtFirstUse } from '../lib/kept-value.ts';
import type { Workspace } from '../workspace.ts';
import type { ClosableIntake, TakingInParts } from './taking-in.ts';

/** Loaded with the first mail: a gateway that waits for one needs nothing of what reads, judges and keeps mail. */
export function intakeAtFirstMail(workspace: Workspace, parts: TakingInParts): ClosableIntake {
  const load = loadedAtFirstUse(async () => (await import('./taking-in.ts')).createClosableIntake(workspace, parts));
  const asked = { yet: false };
  const intake = () => {
    asked.yet = true;
    return load();
  };
  return {
    receive: async (incoming) => (await intake()).receive(incoming),
    read: async (raw) => (await intake()).read(raw),
    setAside: async (place, letter) => (await intake()).setAside(place, letter),
    leaveThere: async (place, left) => (await intake()).leaveThere(place, left),
    async close() {
      if (asked.yet) await (await load()).close();
    },
  };
}
