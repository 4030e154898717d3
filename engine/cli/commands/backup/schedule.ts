import { isAbsolute, relative, resolve, sep } from 'node:path';
import { EngineError } from '#contract';
import { planChange } from '../../../config/writing/change.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import { backupPlan } from '../../../queries/gateway/upkeep/backups.ts';
import { defineCommand } from '../../command/define.ts';
import { atHere } from '../../text/local-time.ts';

const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Pure. `03:00` or `sun 03:00` as five cron fields. Throws `usage`. */
function cronOf(option: '--daily' | '--weekly', written: string): string {
  const [, day, hour, minute] = /^(?:([a-z]{3}) )?(\d{1,2}):(\d\d)$/.exec(written.trim().toLowerCase()) ?? [];
  const isTime = Number(hour) < 24 && Number(minute) < 60;
  const weekday = day === undefined ? '*' : DAYS.indexOf(day);
  if (!isTime || weekday === -1 || (day !== undefined) !== (option === '--weekly')) {
    const expected = option === '--daily' ? 'a time such as 03:00' : 'a day and a time such as "sun 03:00"';
    throw new EngineError('usage', `${option} takes ${expected}`);
  }
  return `${Number(minute)} ${Number(hour)} * * ${weekday}`;
}

/** Pure. What `cronOf` makes, in words again; any other as its five fields. */
function timesInWords(cron: string): string {
  const [, minute, hour, weekday] = /^(\d{1,2}) (\d{1,2}) \* \* ([0-6*])$/.exec(cron) ?? [];
  if (minute === undefined || hour === undefined || weekday === undefined) return `at ${cron}`;
  const day = weekday === '*' ? 'every day' : `every ${DAY_NAMES[Number(weekday)]}`;
  return `${day} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

export const schedule = defineCommand({
  name: 'backup schedule',
  summary: 'Have the gateway make backups by itself; without options, when it does and how the last one went',
  options: {
    daily: { flags: '--daily <time>', about: 'by the clock of this machine, such as 03:00' },
    weekly: { flags: '--weekly <day-and-time>', about: 'such as "sun 03:00"' },
    off: { flags: '--off', about: 'make none any more; those that there are stay' },
    to: { flags: '--to <dir>', about: 'the folder for backups, from the current one; best on another disk' },
    keep: { flags: '--keep <n>', about: 'so many of the newest stay (default: 14)' },
    withoutSecrets: { flags: '--without-secrets', about: 'leave out .env, private keys and tokens' },
  },
  examples: [
    ['backup schedule --daily 03:00 --keep 14', 'each is verified when it is made'],
    ['backup schedule', 'when the next one is due, and how the last one went'],
  ],
  async run({ open }, { options }) {
    const workspace = open();
    const to = options.to === undefined ? undefined : folderIn(resolve(workspace.root), resolve(options.to));
    const changes = changesOf({ ...options, to }).map(([key, to]) => ({
      file: 'configs/system.json',
      path: ['backup', key],
      to,
    }));
    if (changes.length > 0) {
      planChange(workspace.root, { settings: changes }, workspace.pass).write();
      workspace.live.sweep();
    }
    return { ...(await backupPlan(workspace)), timezone: systemZone(), changed: changes.length > 0 };
  },
  text: ({ schedule: text, to, keep, next_at, last, timezone }, { hint }) =>
    text === null
      ? [
          hint('No backups are made by themselves; `epistle backup schedule --daily 03:00` changes that.'),
          hint(`\`epistle backup create\` puts one into ${to}.`),
        ].join('\n')
      : [
          `A backup is made ${timesInWords(text)} (${timezone}) into ${to}, and the newest ${keep} stay. Each is verified.`,
          `The next one: ${next_at === null ? 'never' : atHere(next_at)}, by the gateway; a machine that was off makes one when it is on again.`,
          ...(last === null
            ? []
            : [
                last.error === null
                  ? `The last one: ${atHere(last.at)}  ${last.path}`
                  : `The last one failed: ${last.error}`,
              ]),
        ].join('\n'),
});

/** Pure. As the settings have it: one below the workspace goes along when that is moved. */
function folderIn(root: string, folder: string): string {
  const way = relative(root, folder);
  const isBelow = way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  return isBelow ? way : folder;
}

interface Options {
  readonly daily: string | undefined;
  readonly weekly: string | undefined;
  readonly off: boolean | undefined;
  readonly to: string | undefined;
  readonly keep: string | undefined;
  readonly withoutSecrets: boolean | undefined;
}

function changesOf(options: Options): readonly (readonly [string, string | number | boolean | null])[] {
  const { daily, weekly, off, to, keep } = options;
  if ([daily, weekly, off].filter((one) => one !== undefined).length > 1)
    throw new EngineError('usage', 'one of --daily, --weekly and --off');
  const count = keep === undefined ? null : Number(keep);
  if (count !== null && !(Number.isInteger(count) && count >= 1 && count <= 1000))
    throw new EngineError('usage', '--keep takes a whole number from 1 to 1000');
  return [
    ...(daily === undefined ? [] : [['schedule', cronOf('--daily', daily)] as const]),
    ...(weekly === undefined ? [] : [['schedule', cronOf('--weekly', weekly)] as const]),
    ...(off ? [['schedule', null] as const] : []),
    ...(to === undefined ? [] : [['to', to] as const]),
    ...(count === null ? [] : [['keep', count] as const]),
    ...(options.withoutSecrets ? [['secrets', false] as const] : []),
  ];
}
