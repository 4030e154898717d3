import { EngineError, type Json } from '#contract';
import type { LiveConfig } from '../../config/live/live.ts';
import { CONFIG_FILES } from '../../config/load.ts';
import { addressesOfOwners } from '../../config/owners.ts';
import type { Persona } from '../../config/types.ts';
import { type Change, planChange } from '../../config/writing/change.ts';
import { keyOf, type Setting, type SettingChange } from '../../config/writing/settings.ts';
import { shownJson } from '../../config/writing/shown-value.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dayAndTime } from '../../languages/times.ts';
import type { Clock } from '../../lib/clock.ts';
import { jsonObject } from '../../lib/json.ts';
import { inEach, notice } from '../../record/jobs/notice-job.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { Stores } from '../../storage/ports/store.ts';
import type { AuditRecord } from '../../storage/types/approvals.ts';
import { TOLD_LATE } from '../../storage/types/gateway.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { putOnRecord, recordKeeper, rowOf } from '../on-record.ts';
import type { ActionPorts } from '../ports.ts';

interface SettingPorts extends ActionPorts {
  readonly root: string;
  readonly live: Pick<LiveConfig, 'current' | 'personas' | 'recheck' | 'freshPersona'>;
  readonly gateway: Pick<GatewayStore, 'addGatewayAudit'>;
  readonly stores: Stores;
  readonly clock: Clock;
}

interface WantedSetting {
  readonly setting: Setting;
  /** The file as it was seen, by `hashOfSettings`. */
  readonly sha256: string;
}

type Place = Pick<SettingChange, 'file' | 'path'>;

/**
 * What may be changed by whoever is in at all. Anything else may let somebody else decide, lead mail or what is secret elsewhere, show one
 * persona what is another's, or take a trace or a backup away: a new key belongs there until somebody has thought about it.
 */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  [CONFIG_FILES.inference]: ['prices', 'max_tool_turns'],
  [CONFIG_FILES.system]: ['weekly_mail', 'dispatch'],
};
const OF_PERSONA: readonly string[] = ['name', 'timezone', 'language', 'signature', 'budget', 'weekly_mail'];

/** Pure. Whether a change of it needs somebody who has come in a moment ago, and all owners are told. */
export function isGuarded({ file, path }: Place): boolean {
  const harmless = file.startsWith('personas/') ? OF_PERSONA : (HARMLESS[file] ?? []);
  const key = path.join('.');
  return !harmless.some((one) => isBelow(key, one));
}

/** Pure. Models, and limits of mail: whoever is at the machine has its keys, and owners were told what is to be mended there. */
const isOfMachine = ({ file, path }: Place): boolean =>
  file === CONFIG_FILES.inference ||
  (file === CONFIG_FILES.gateway && path[0] === 'limits') ||
  (file.startsWith('personas/') && path[0] === 'inference');

const personaOf = (file: string): string | null => /^personas\/([^/]+)\//.exec(file)?.[1] ?? null;

const isBelow = (key: string, other: string): boolean => key === other || key.startsWith(`${other}.`);

/** What it would become, without writing any of it. Throws as `planChange` does. */
export const planSetting = (
  { root, pass }: Pick<SettingPorts, 'root' | 'pass'>,
  { setting, sha256 }: WantedSetting,
): Change => planChange(root, { settings: [setting], seen: [{ file: setting.file, sha256 }] }, pass);

/**
 * Pure. Whether mail may leave by another way from then on: whoever changes that could lead the mail which tells of it to themselves,
 * or to nobody.
 */
const leadsMail = ({ file, path }: Place): boolean =>
  file === CONFIG_FILES.gateway || (file.startsWith('personas/') && SENDS_BY.includes(String(path[0])));
const SENDS_BY: readonly string[] = ['mailbox', 'address', 'aliases'];

/** So long such a change waits for the mail about it to leave, and it is looked so often whether it has. */
const LEAVES_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/** A crash between the record and the writing leaves owners told of what was not done, never the other way round. */
const TOLD_AFTER_MS = 2000;

/**
 * Changes one setting, on record in the name of who did it; of one that is guarded all owners are told, those of before and
 * those of after. One that leads mail takes force once the mail about it has left by the way of before. Where that does not leave,
 * the setting is changed all the same, since a mailbox that does not work could not be mended else, and that is on record of the
 * gateway: Today says so. Throws as `planChange` does, `cancelled` where the file is not what was seen, `unavailable` where no
 * persona is there in whose record it could stand; of a command it stands in that of the gateway then. `isAtWork`: whether a
 * gateway is there by which the mails leave; else they do after its next start. Returns what was changed.
 */
export async function changeSetting(
  ports: SettingPorts,
  wanted: WantedSetting,
  { by, isAtWork = true }: { readonly by: string; readonly isAtWork?: boolean },
): Promise<readonly SettingChange[]> {
  const change = planSetting(ports, wanted);
  if (change.changes.length === 0) return [];
  const { live, stores, gateway, ids, clock, announce } = ports;
  const persona = recordKeeper(live, personaOf(wanted.setting.file));
  if (persona === null && by === BY_COMMAND) {
    change.write();
    const detail = { settings: change.changes.map(nameOf) };
    await putOnRecord(ports, { persona: null, actor: by, event: 'setting_changed', detail });
    return change.changes;
  }
  if (persona === null)
    throw new EngineError(
      'unavailable',
      'there is no persona in whose record it could stand; `epistle config set` does it',
    );
  const now = clock.now();
  const id = ids.next();
  const leads = change.changes.some(leadsMail);
  const told = change.changes.some((one) => isGuarded(one) && !(by === BY_COMMAND && isOfMachine(one)))
    ? noticesOf(ports, persona, { changes: change.changes, by, id, now, dueAt: leads ? now : now + TOLD_AFTER_MS })
    : [];
  await announce(persona.id, now, () =>
    stores.use(persona.id, async (store) => {
      await store.auditOnce(auditOf(id, change.changes, { by, at: now, event: 'setting_changed' }));
      if (told.length > 0) await store.addJobs(told);
    }),
  );
  if (leads && isAtWork && !(await haveLeft(ports, persona.id, told))) {
    const detail = { address: null, settings: change.changes.map(nameOf) };
    await gateway.addGatewayAudit({ id: ids.next(), at: now, actor: by, event: TOLD_LATE, decision: null, detail });
  }
  try {
    change.write();
  } catch (error) {
    await stores.use(persona.id, async (store) => {
      await store.auditOnce(auditOf(ids.next(), change.changes, { by, at: now, event: 'setting_not_changed' }));
      for (const job of told) await store.endJob(job.id);
    });
    throw error;
  }
  const own = personaOf(wanted.setting.file);
  if (own === null) live.recheck();
  else live.freshPersona(own);
  return change.changes;
}

/** One mail to each owner, in the own language: those who had a say, and those who have one from now on. */
function noticesOf(
  { live }: Pick<SettingPorts, 'live'>,
  persona: Persona,
  told: {
    readonly changes: readonly SettingChange[];
    readonly by: string;
    readonly id: string;
    readonly now: number;
    readonly dueAt: number;
  },
): readonly NewJob[] {
  const { changes, by, id, now, dueAt } = told;
  const named = changes.flatMap(({ path, from, to }) => (path[0] === 'owners' ? [from, to].flatMap(addressesIn) : []));
  const own = changes.flatMap(({ file }) => ownersOf(live, personaOf(file)));
  const owners = [...addressesOfOwners(live.current().security.owners), ...own, ...named];
  const to = [...new Map(owners.map((address) => [address.toLowerCase(), address])).values()].slice(0, MOST_OWNERS);
  const lines = changes.map(
    ({ from, to: after, ...one }) => `- ${one.file}, ${keyOf(one)}: ${said(from, one.path)} → ${said(after, one.path)}`,
  );
  const words = (language: Language) => {
    const what = { when: dayAndTime(now, { language, zone: persona.timezone }, true), changes: lines.join('\n') };
    return by === BY_COMMAND
      ? {
          subject: say(language, 'settingChanged.commandSubject'),
          text: say(language, 'settingChanged.commandText', what),
        }
      : {
          subject: say(language, 'settingChanged.subject', { who: by }),
          text: say(language, 'settingChanged.text', { who: by, ...what }),
        };
  };
  return to.map((address, at) =>
    notice.job({
      id: `notice:setting_changed:${id}:${at}`,
      due_at: dueAt,
      payload: { ...inEach(persona.language, words), to: address },
    }),
  );
}

/** Whoever runs a command has no address, and has the files anyway. */
const BY_COMMAND = 'cli';

/** Nobody has more; a list that somebody has blown up is no reason for a flood. */
const MOST_OWNERS = 100;

/** Of the persona whose file it is, also where it does not work now and this stands in the record of another one. */
function ownersOf(live: Pick<LiveConfig, 'personas'>, id: string | null): readonly string[] {
  const entry = id === null ? undefined : live.personas().get(id);
  if (entry === undefined) return [];
  return entry.state === 'ready' ? entry.persona.owners : (entry.owners ?? []);
}

function said(value: Json | undefined, path: SettingChange['path']): string {
  if (value === undefined) return '–';
  const text = shownJson(value, path);
  return text.length <= MOST_SAID ? text : `${text.slice(0, MOST_SAID - 1).toWellFormed()}…`;
}
const MOST_SAID = 5000;

function addressesIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value.includes('@') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one: Json) => addressesIn(one));
  const address = jsonObject.safeParse(value).data?.address;
  return typeof address === 'string' ? [address] : [];
}

const auditOf = (
  id: string,
  changes: readonly SettingChange[],
  { by, at, event }: { readonly by: string; readonly at: number; readonly event: string },
): AuditRecord =>
  rowOf({
    id,
    at,
    actor: by,
    event,
    // Names alone: a value that somebody has mistaken for another may be a secret.
    detail: { settings: changes.map(nameOf) },
  });

const nameOf = (one: SettingChange): string => `${one.file} ${keyOf(one)}`;

/** Whether all of these mails have left; one that could not at its first try counts as one that does not leave. */
async function haveLeft(
  { stores, clock }: Pick<SettingPorts, 'stores' | 'clock'>,
  persona: string,
  told: readonly NewJob[],
): Promise<boolean> {
  const until = clock.now() + LEAVES_WITHIN_MS;
  for (;;) {
    const mails = await stores.use(persona, (store) => Promise.all(told.map(({ id }) => store.outboxByPurpose(id))));
    if (mails.every((mail) => mail?.state === 'sent')) return true;
    if (clock.now() >= until || mails.some((mail) => mail && mail.state !== 'sent' && mail.attempts > 0)) return false;
    await clock.sleep(LOOK_MS);
  }
}
