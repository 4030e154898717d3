#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startFakeModel } from '../../fakes/model-server.ts';
import { startMailServers } from '../../lab/mail-servers.ts';
import { assistant } from './assistant.ts';
import { answeredByHand, asked, say } from './by-hand.ts';
import {
  environmentOf,
  environmentOfServers,
  firstMonday,
  MORNING,
  nowIn,
  onTheWall,
  setServers,
  type Time,
  timeAt,
} from './clock.ts';
import { answerSubject, answerTo, buttonsOf, received, type Servers, shown, write } from './letters.ts';
import { AGENT, addressOf, DOMAIN, PASSWORD, PEOPLE, type People } from './people.ts';

const HERE = fileURLToPath(import.meta.url);
const KEY = 'shop-key-2026';
const MODELS = ['shop-1', 'shop-1-mini'];
/** On this day the service of the model is overloaded until noon. */
const OUTAGE = { day: 4, until: '12:00' };

interface Stage {
  readonly servers: Servers;
  readonly model: string;
  readonly people: People;
  readonly time: Time;
}

class Usage extends Error {}

const fileOf = (folder: string) => join(folder, 'stage.json');

function load(folder: string): Stage {
  if (!existsSync(fileOf(folder))) throw new Usage(`the stage does not run; start it: node ${HERE} start`);
  return JSON.parse(readFileSync(fileOf(folder), 'utf8'));
}

/** Whoever reads it meanwhile reads the one or the other. */
function save(folder: string, stage: Stage): void {
  writeFileSync(`${fileOf(folder)}.new`, JSON.stringify(stage, null, 2));
  renameSync(`${fileOf(folder)}.new`, fileOf(folder));
  setServers(folder, stage.time);
  writeFileSync(join(folder, 'today'), todayFile(folder, stage.time));
}

const quoted = (value: string) => `'${value.replaceAll("'", "'\\''")}'`;

/** What a shell takes in, so that what it starts lives in the time of the story. */
function todayFile(folder: string, time: Time): string {
  const bin = join(folder, 'bin');
  const variables = { ...environmentOf(time), TEN_DAYS: folder };
  return [
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `case ":$PATH:" in *:${bin}:*) ;; *) export PATH=${quoted(bin)}:"$PATH" ;; esac`,
    '',
  ].join('\n');
}

async function start(folder: string, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { server: { type: 'string' }, people: { type: 'string' }, 'model-by-hand': { type: 'boolean' } },
  });
  const kind = values.server ?? 'plain';
  if (!['plain', 'names', 'stamps'].includes(kind)) throw new Usage('--server is plain, names or stamps');
  if (existsSync(fileOf(folder))) throw new Usage(`${folder} is in use; another stage runs, or remove the folder`);
  // From now on: servers that begin to run are ended, too.
  const end = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.resolve());
  mkdirSync(join(folder, 'bin'), { recursive: true });
  chmodSync(folder, 0o755);
  const time = timeAt(firstMonday(), 1, MORNING);
  const people = values.people === undefined ? PEOPLE : castIn(values.people);
  setServers(folder, time);
  const lab = await startMailServers({
    users: Object.fromEntries(['agent', ...Object.keys(people)].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    host: `imap.${DOMAIN}`,
    ...(kind === 'stamps' && { stamp: `Authentication-Results: mx.${DOMAIN}; dmarc=pass header.from=${DOMAIN}` }),
    stampsSubmissions: kind === 'stamps',
    namesLogins: kind === 'names',
    environment: environmentOfServers(folder, time),
  });
  const isAway = () => {
    const { time: now } = load(folder);
    return now.day === OUTAGE.day && onTheWall(now).slice(11) < OUTAGE.until;
  };
  const model = await startFakeModel(
    'openai',
    (request) => {
      if (values['model-by-hand']) return answeredByHand(folder, request);
      return isAway() ? { status: 500, message: 'The server is overloaded.' } : assistant(request);
    },
    { key: KEY, models: MODELS, keeps: false },
  );
  const { imap, smtp } = lab;
  const servers = { imap: imap.port, submission: smtp.submissionPort, ca: join(folder, 'ca.pem') };
  writeFileSync(servers.ca, readFileSync(lab.ca));
  for (const name of ['mail', 'inbox', 'press', 'next-day', 'later', 'asked', 'say']) {
    writeFileSync(
      join(folder, 'bin', name),
      `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(HERE)} --folder ${quoted(folder)} ${name} "$@"\n`,
    );
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  save(folder, { servers, model: model.baseUrl, people, time });
  print(told(folder, load(folder)));
  await end.promise;
  await Promise.all([lab.stop(), model.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

const told = (folder: string, { servers, model, people, time }: Stage): string => `
The stage is up. It is ${onTheWall(time)}, a Monday. In each terminal first: . ${folder}/today

  mailbox for the persona   ${AGENT}
  people                    ${Object.keys(people).map(addressOf).join(', ')}
  password of all of them   ${PASSWORD}
  IMAP server               localhost:${servers.imap}:starttls
  SMTP server               localhost:${servers.submission}:starttls
  authority of both         ${servers.ca}
  model                     OpenAI-compatible, at ${model}
  its key                   ${KEY}
  its names                 ${MODELS.join(', ')}

Ctrl-C ends it; then its mail is gone.`;

/** The clock of everything is moved; what has run as a gateway runs again, as after a night. */
function move(folder: string, stage: Stage, day: number, hour: string): void {
  if (!/^\d\d:\d\d$/.test(hour)) throw new Usage('an hour looks like 14:30');
  const time = timeAt(stage.time.firstDay, day, hour);
  if (time.shiftMs <= stage.time.shiftMs) throw new Usage(`it is ${onTheWall(stage.time)} already`);
  const gateways = gatewaysOf(folder);
  save(folder, { ...stage, time });
  for (const { program, root, environment: own } of gateways) {
    // Its clock was shared with a program that has ended and taken the place of it in memory along.
    const { FAKETIME_SHARED: _, ...kept } = own;
    const environment = { ...kept, ...environmentOf(time) };
    const done = spawnSync(process.execPath, [program, 'restart', '--workspace', root], {
      env: environment,
      encoding: 'utf8',
    });
    print(done.status === 0 ? `The gateway of ${root} runs in the new day.` : `${done.stdout}${done.stderr}`);
  }
  print(`It is ${onTheWall(time)}, day ${day}. In each terminal: . ${folder}/today`);
}

interface Gateway {
  readonly program: string;
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Gateways that were started in the time of this stage. */
function gatewaysOf(folder: string): Gateway[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const program = args.find((one) => one.endsWith('epistle.js'));
      const environment = Object.fromEntries(
        readFileSync(`/proc/${pid}/environ`, 'utf8')
          .split('\0')
          .filter((line) => line.includes('='))
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      if (environment.TEN_DAYS !== folder || program === undefined || !args.includes('start')) return [];
      const at = args.indexOf('--workspace');
      return [{ program, root: at < 0 ? readlinkSync(`/proc/${pid}/cwd`) : String(args[at + 1]), environment }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** The people of another story: `{"nora": "Nora Kestrel"}`. */
const castIn = (file: string): People =>
  Object.fromEntries(
    Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>).map(([who, name]) => [
      who,
      `${name} <${addressOf(who)}>`,
    ]),
  );

function person({ people }: Stage, name: string | undefined): string {
  if (name !== undefined && Object.hasOwn(people, name)) return name;
  throw new Usage(`who? one of ${Object.keys(people).join(', ')}`);
}

const nameOf = ({ people }: Stage, who: string): string => people[who] ?? '';

async function mail(stage: Stage, args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'reply-to-last': { type: 'boolean' },
      'reply-to': { type: 'string' },
      attach: { type: 'string', multiple: true },
    },
  });
  const [from, to, subject] = positionals;
  const writer = person(stage, from);
  const number = values['reply-to'];
  const isReply = values['reply-to-last'] === true || number !== undefined;
  const all = isReply ? await received(stage.servers, writer, false) : [];
  const answers = number === undefined ? all.at(-1)?.mail : all[Number(number) - 1]?.mail;
  if (isReply && answers === undefined) throw new Usage(`${writer} has no such mail`);
  const [where, what] =
    answers === undefined ? [to, subject] : [to ?? answerTo(answers), subject ?? answerSubject(answers)];
  if (!where || !what) throw new Usage('mail FROM TO SUBJECT [--reply-to-last] < text');
  const address = Object.hasOwn(stage.people, where) ? addressOf(where) : where;
  const said = (await text(process.stdin)).trimEnd();
  const letter = {
    from: nameOf(stage, writer),
    to: address,
    subject: what,
    text: said,
    files: values.attach ?? [],
    at: new Date(nowIn(stage.time)),
  };
  await write(stage.servers, writer, answers === undefined ? letter : { ...letter, answers });
  print(`Sent to ${address}: ${what}`);
}

async function inbox(stage: Stage, [name, what]: readonly string[]): Promise<void> {
  const all = await received(stage.servers, person(stage, name), what === undefined);
  const wanted = all.filter(({ isNew, number }) =>
    what === undefined ? isNew : what === '--all' || number === Number(what),
  );
  print(wanted.length === 0 ? 'No new mail.' : wanted.map(shown).join('\n\n'));
}

async function press(stage: Stage, [name, number, label]: readonly string[]): Promise<void> {
  const who = person(stage, name);
  const found = (await received(stage.servers, who, false))[Number(number) - 1]?.mail;
  const buttons = found ? buttonsOf(found) : [];
  const button = buttons.find((one) => one.label.toLowerCase() === label?.toLowerCase());
  if (!found || !button)
    throw new Usage(`mail ${number} has the buttons ${buttons.map((one) => one.label).join(', ') || 'none'}`);
  // A link opens a new mail: it names nothing that it answers.
  await write(stage.servers, who, {
    ...button,
    from: nameOf(stage, who),
    text: button.body,
    at: new Date(nowIn(stage.time)),
  });
  print(`Sent to ${button.to}: ${button.subject}\n${button.body}`);
}

// biome-ignore lint/suspicious/noConsole: a program of a terminal
const print = (line: string): void => console.log(line);

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const folder = given[0] === '--folder' ? String(given[1]) : '/tmp/ten-days';
  const [command, ...args] = given[0] === '--folder' ? given.slice(2) : given;
  if (command === 'start') return start(folder, args);
  const stage = load(folder);
  switch (command) {
    case 'mail':
      return mail(stage, args);
    case 'inbox':
      return inbox(stage, args);
    case 'press':
      return press(stage, args);
    case 'next-day':
      return move(folder, stage, stage.time.day + 1, args[0] ?? MORNING);
    case 'later':
      return move(folder, stage, stage.time.day, args[0] ?? '');
    case 'asked':
      return print(await asked(folder));
    case 'say':
      return print(say(folder, args[0], await text(process.stdin)));
    case undefined:
      return print(told(folder, stage));
    default:
      throw new Usage('start, mail, inbox, press, next-day, later, asked or say; the README beside this file says how');
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof Usage)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
