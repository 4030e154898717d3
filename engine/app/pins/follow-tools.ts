import type { Telling } from '../telling/tell-owners.ts';

export interface ToolsFollower {
  /** Looks at what is known now. Never rejects. */
  look(): Promise<void>;
}

/** Owners hear of tools that a server shows otherwise than they were allowed, whenever that comes out. */
export function followTools(telling: Telling): ToolsFollower {
  const { servers, prepareTools, currentExtensions, toolPins, log } = telling.workspace;
  const state = { turn: Promise.resolve(), isLooking: false };
  const lookNow = async () => {
    state.isLooking = false;
    if (toolPins.takesOver()) {
      // One mail tells of all of them, and of what else the upgrade changed.
      await Promise.resolve(prepareTools(null)).catch((error: unknown) =>
        log.error({ error: String(error) }, 'tools could not be listed'),
      );
      await (await import('../telling/tell-of-upgrade.ts')).tellOfUpgrade(telling);
    }
    // Loaded where there is something to ask: most gateways have no server, or one that is as it was.
    if (currentExtensions().sources.every((source) => source.waiting() === null)) return;
    await (await import('./ask-about-tools.ts')).askAboutTools(telling);
  };
  /** One look after the other: two at once could ask twice. */
  const look = (): Promise<void> => {
    if (state.isLooking) return state.turn;
    state.isLooking = true;
    state.turn = state.turn
      .then(lookNow)
      .catch((error: unknown) => log.error({ error: String(error) }, 'nobody could be asked about tools'));
    return state.turn;
  };
  const follow = () => servers.onChange(() => void look());
  // Only where an earlier build has worked: else a program is started by the first mail.
  if (toolPins.takesOver()) void look().then(follow);
  else follow();
  return { look };
}
