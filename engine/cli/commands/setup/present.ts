import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { addressKey } from '../../../config/address.ts';
import { finishChange } from '../../../config/journal/journal.ts';
import { defaultConfigs, loadConfigs } from '../../../config/load.ts';
import { mailboxesToSendBy, receiving } from '../../../config/mailboxes/sending-mailbox.ts';
import { personaFileOf, readPersona } from '../../../config/persona-file.ts';
import { ConfigError } from '../../../config/problems/problem.ts';
import type { Configs, MailboxConfig, PersonaFile } from '../../../config/types.ts';
import { idOf } from './answers.ts';

interface PresentPersona {
  readonly id: string;
  readonly file: PersonaFile;
}

/** What a workspace says already. */
export interface Present {
  /** There is none yet; what it says then are the defaults. */
  readonly isNew: boolean;
  readonly configs: Configs;
  /** By id, those whose files are right. */
  readonly personas: readonly PresentPersona[];
}

/** Throws ConfigError, before anybody is asked anything: what is wrong is to be mended, not written over. */
export function presentIn(root: string): Present {
  finishChange(root);
  const isNew = !existsSync(join(root, 'configs/gateway.json'));
  const { configs, problems } = loadConfigs(root);
  if (problems.length > 0) throw new ConfigError(problems);
  return { isNew, configs: configs ?? defaultConfigs(), personas: personasIn(root) };
}

function personasIn(root: string): readonly PresentPersona[] {
  const folder = join(root, 'personas');
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return names.flatMap((id) => {
    const read = id.startsWith('.') ? null : readPersona(root, id);
    return read?.state === 'good' ? [{ id, file: read.file }] : [];
  });
}

const isSame = (one: string, other: string) => (addressKey(one) ?? one) === (addressKey(other) ?? other);

/** Pure. The persona that has this very address; null: nobody has. */
export const holderOf = ({ personas }: Pick<Present, 'personas'>, address: string): PresentPersona | null =>
  personas.find(({ file }) => [file.address, ...file.aliases].some((one) => isSame(one, address))) ?? null;

/** Pure. Personas that send by a mailbox, those first whose address it has. */
export function personasOf(
  { configs, personas }: Present,
  { id }: Pick<MailboxConfig, 'id'>,
): readonly PresentPersona[] {
  const { mailboxes } = configs.gateway;
  const box = mailboxes.find((one) => one.id === id);
  const own = personas.filter(({ file }) => {
    const found = mailboxesToSendBy(mailboxes, file);
    return found.length === 1 && found[0] === id;
  });
  const isExact = ({ file }: PresentPersona) => box !== undefined && receiving(box, file.address) === 'exact';
  return [...own.filter(isExact), ...own.filter((one) => !isExact(one))];
}

/** Pure. The mailbox of an address: the one that logs in with it, or that the persona with this address has. Null: a new one. */
export function mailboxIn(present: Present, address: string, user: string | undefined): MailboxConfig | null {
  const { mailboxes } = present.configs.gateway;
  const logins = ({ imap, smtp }: MailboxConfig) => [imap?.user, smtp?.user].flatMap((one) => one ?? []);
  const byLogin = mailboxes.filter((one) => logins(one).some((login) => isSame(login, user ?? address)));
  if (byLogin.length > 1) {
    const ids = byLogin.map(({ id }) => id).join(' and ');
    throw new EngineError(
      'usage',
      `the mailboxes ${ids} both log in as ${user ?? address}; change them by \`config set\``,
    );
  }
  const [found] = byLogin;
  if (found || user !== undefined) return found ?? null;
  const holder = holderOf(present, address);
  const boxes = holder ? mailboxesToSendBy(mailboxes, holder.file) : [];
  const box = mailboxes.find(({ id }) => boxes.length === 1 && id === boxes[0]);
  // A login that is an address receives that one.
  return box && !logins(box).some((login) => login.includes('@')) ? box : null;
}

/** Pure. The address of a mailbox; null where its login is none and nobody has one there. */
export function addressOfMailbox(present: Present, mailbox: MailboxConfig): string | null {
  const login = (mailbox.imap ?? mailbox.smtp)?.user ?? '';
  return login.includes('@') ? login : (personasOf(present, mailbox)[0]?.file.address ?? null);
}

/** Pure. The persona that is meant by a name: by its id, or by how its mail shows it. */
export const personaCalled = ({ personas }: Pick<Present, 'personas'>, name: string): PresentPersona | null =>
  personas.find(({ file }) => file.name === name) ?? personas.find(({ id }) => id === idOf(name)) ?? null;

/** Throws `config_invalid` for the folder of a persona whose file is wrong: it is not written over. */
export function assertMendable(root: string, id: string): void {
  if (readPersona(root, id).state === 'bad')
    throw new EngineError('config_invalid', `${personaFileOf(id)} is wrong; mend it first`);
}
