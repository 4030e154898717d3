import { say } from '../../languages/say.ts';
import { sha256 } from '../../lib/ids.ts';
import { readJson } from '../../lib/json.ts';
import { noticeTo, type Telling } from '../telling/tell-owners.ts';
import { KEY, type TakingOver, takingOver } from './begin-take-over.ts';
import { namesIn } from './question-mail.ts';

/** One mail that lists what was pinned so, and what could not be reached. */
export async function tellTakenOver({ workspace, announce }: Telling): Promise<void> {
  const { gateway, toolPins, clock } = workspace;
  const due = readJson(takingOver, await gateway.setting(KEY, () => ''));
  if (!due) return;
  const { of } = toolPins.now();
  const pinned = due.servers.flatMap((server) => {
    const pins = of(server);
    return pins === null ? [] : [{ server, pins }];
  });
  const left: TakingOver = { ...due, servers: due.servers.filter((server) => of(server) === null) };
  const isOver = left.servers.length === 0 || clock.now() >= due.until;
  if (pinned.length === 0) return isOver ? gateway.changeSetting(KEY, '') : undefined;
  const names = pinned.map(({ server }) => server);
  const isTold = await noticeTo({ workspace, announce }, () => false, {
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
  });
  if (isTold) await gateway.changeSetting(KEY, isOver ? '' : JSON.stringify(left));
}
