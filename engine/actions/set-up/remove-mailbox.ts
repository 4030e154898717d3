import { join } from 'node:path';
import { EngineError } from '#contract';
import { readJsonFile } from '../../config/json-file.ts';
import type { LiveConfig } from '../../config/live/live.ts';
import { personaFileOf } from '../../config/persona-file.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import { keyOf, writeSettings } from '../../config/writing/settings.ts';
import { jsonObject } from '../../lib/json.ts';
import { editPersona } from './edit-persona.ts';

const FILE = 'configs/gateway.json';

/**
 * Takes a mailbox out of gateway.json, and its name out of the personas that have it: theirs first, since one that names a
 * mailbox that there is not takes no mail. Broken off between two files, the same call goes on where it was. Returns what was
 * written, as `file  key`. Throws `config_invalid` for a file that is wrong.
 */
export function removeMailbox(
  workspace: { readonly root: string; readonly live: Pick<LiveConfig, 'personas'> },
  id: string,
  namedBy: readonly string[],
): readonly string[] {
  const { root } = workspace;
  const read = readJsonFile(join(root, FILE), FILE);
  if (read.state === 'bad') throw new EngineError('config_invalid', describeProblem(read.problem));
  const before = read.state === 'json' ? jsonObject.safeParse(read.value).data?.mailboxes : undefined;
  const mailboxes = Array.isArray(before) ? before : [];
  const to = mailboxes.filter((one) => jsonObject.safeParse(one).data?.id !== id);
  for (const persona of namedBy) {
    const nothingElse = { name: undefined, address: undefined, timezone: undefined, language: undefined };
    editPersona(workspace, persona, { ...nothingElse, mailbox: null });
  }
  const change = { file: FILE, path: ['mailboxes'], from: null, to };
  writeSettings(root, [change]);
  return [...namedBy.map((persona) => `${personaFileOf(persona)}  mailbox`), `${FILE}  ${keyOf(change)}`];
}
