import { say } from '../../languages/say.ts';
import { sha256 } from '../../lib/ids.ts';
import { readJson } from '../../lib/json.ts';
import type { Telling, UpgradePart } from '../telling/tell-owners.ts';
import { KEY, type TakingOver, takingOver } from './begin-take-over.ts';
import { namesIn } from './question-mail.ts';

/** The tools that were pinned so since it was told last, and what could not be reached; null: nothing was. */
export async function pinnedTools({ workspace: { gateway, toolPins, clock } }: Telling): Promise<UpgradePart | null> {
  const due = readJson(takingOver, await gateway.setting(KEY, () => ''));
  if (!due) return null;
  const { of } = toolPins.now();
  const pinned = due.servers.flatMap((server) => {
    const pins = of(server);
    return pins === null ? [] : [{ server, pins }];
  });
  const left: TakingOver = { ...due, servers: due.servers.filter((server) => of(server) === null) };
  const isOver = left.servers.length === 0 || clock.now() >= due.until;
  const told = () => gateway.changeSetting(KEY, isOver ? '' : JSON.stringify(left));
  if (pinned.length === 0) {
    if (isOver) await told();
    return null;
  }
  const names = pinned.map(({ server }) => server);
  return {
    id: `notice:tools_taken_over:${sha256(names.join(',')).slice(0, 32)}`,
    words(language) {
      const lines = pinned.map(({ server, pins }) => `- ${server}: ${namesIn(server, pins) || '–'}`);
      const unreached =
        left.servers.length === 0
          ? []
          : ['', say(language, 'pinnedTools.takenOver.unreached', { servers: left.servers.join(', ') })];
      return {
        subject: say(language, 'pinnedTools.takenOver.subject'),
        text: [
          say(language, 'pinnedTools.takenOver.opening'),
          '',
          ...lines,
          ...unreached,
          '',
          say(language, 'pinnedTools.takenOver.later'),
        ].join('\n'),
      };
    },
    told,
  };
}
