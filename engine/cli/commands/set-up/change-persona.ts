import { join } from 'node:path';
import { editPersona } from '../../../actions/set-up/edit-persona.ts';
import { deletePersona, renamePersona } from '../../../actions/set-up/move-persona.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { personaShape } from '../../../queries/gateway/personas.ts';
import type { Workspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import { type Command, defineCommand } from '../../command/define.ts';

const edit = defineCommand({
  name: 'persona edit',
  summary: 'Change the name, the address, the mailbox, the zone or the language of a persona',
  arguments: ['<id>'],
  options: {
    name: { flags: '--name <name>', about: 'as its mail shows it' },
    address: { flags: '--address <address>', about: 'the one before stays as an alias, so that conversations go on' },
    mailbox: {
      flags: '--mailbox <id>',
      about: 'by which it writes, where it is not the one that receives its address',
    },
    timezone: { flags: '--timezone <zone>', about: 'IANA name of its zone' },
    language: { flags: '--language <code>', about: 'what it says things in where a mail does not tell, such as de' },
  },
  async run({ open }, { args: [named], options: { address, name, timezone, language, mailbox } }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, named);
    const to = address === undefined ? undefined : addressIn(address);
    editPersona(workspace, id, {
      name,
      address: to,
      timezone,
      language,
      ...(mailbox === undefined ? {} : { mailbox }),
    });
    workspace.live.sweep();
    return { persona: await personaShape(workspace, id) };
  },
  text: ({ persona: { id, name, address } }) =>
    `${id} is ${name} <${address}>. A running gateway takes it up within two seconds.`,
});

/** No other process may have its database open. Throws `workspace_locked`. */
async function alone<Result>({ lock: take }: Workspace, work: () => Promise<Result>): Promise<Result> {
  const lock = take();
  try {
    return await work();
  } finally {
    lock.release();
  }
}

const rename = defineCommand({
  name: 'persona rename',
  summary: 'Give a persona another id; its mail, files and memory go along. The gateway has to be stopped',
  arguments: ['<id>', ['<new-id>', 'lower-case letters, digits, - and _']],
  async run({ open }, { args: [named, to] }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, named);
    await alone(workspace, () => renamePersona(workspace, { from: id, to }));
    workspace.live.sweep();
    return { persona: await personaShape(workspace, to), from: id };
  },
  text: ({ persona: { id, address }, from }, { hint }) =>
    hint(
      `${from} is ${id} now, with all that it had. Its address is still ${address}; \`epistle persona edit ${id} --address …\` changes that.`,
    ),
});

const remove = defineCommand({
  name: 'persona delete',
  summary: 'Take a persona away; the gateway has to be stopped',
  arguments: ['<id>'],
  options: {
    force: { flags: '--force', about: 'also delete its mail, files and memory, for good' },
  },
  async run({ open }, { args: [named], options: { force = false } }) {
    const workspace = open({ tolerant: true });
    const { id } = personaNamed(workspace, named);
    const day = new Date(workspace.clock.now()).toISOString().replaceAll(/[:.]/g, '-');
    const keepIn = force ? null : join('deleted', `${id}-${day}`);
    const kept = await alone(workspace, async () => deletePersona(workspace, id, keepIn));
    return { persona: id, kept };
  },
  text: ({ persona, kept }) =>
    kept === null ? `${persona} is gone, with all that it had.` : `${persona} is gone; what it had lies in ${kept}/.`,
});

export const changes: readonly Command[] = [edit, rename, remove];
