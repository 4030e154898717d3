import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';

/** How often it is looked whether somebody has written an answer. */
const LOOK_MS = 200;
/** So long `asked` waits for a question. */
const WAITS_MS = 60_000;

const folderOf = (folder: string): string => join(folder, 'asked');
const requestFile = (folder: string, number: number): string => join(folderOf(folder), `${number}.request.json`);
const answerFile = (folder: string, number: number): string => join(folderOf(folder), `${number}.answer.json`);

/** The request is laid down for whoever plays the model, and is answered when they have written what they say to it. */
export async function answeredByHand(folder: string, { body }: HeardRequest): Promise<Turn> {
  mkdirSync(folderOf(folder), { recursive: true });
  const number = numbersIn(folder).length + 1;
  writeWhole(requestFile(folder, number), JSON.stringify(withoutPictures(folder, number, body), null, 1));
  const answer = answerFile(folder, number);
  while (!existsSync(answer)) await passed(LOOK_MS);
  return JSON.parse(readFileSync(answer, 'utf8')) as Turn;
}

/** Pictures become files, which whoever plays the model can look at. */
function withoutPictures(folder: string, number: number, body: unknown): unknown {
  const found = { count: 0 };
  const text = JSON.stringify(body, (_, value) => {
    const [, type = '', data] = (typeof value === 'string' && PICTURE.exec(value)) || [];
    if (data === undefined) return value;
    found.count += 1;
    const path = join(folderOf(folder), `${number}.${found.count}.${type}`);
    writeFileSync(path, Buffer.from(data, 'base64'));
    return `the picture ${path}`;
  });
  return JSON.parse(text);
}

const PICTURE = /^data:image\/([a-z]+);base64,(.*)$/;

/**
 * The oldest request without an answer, as the model gets it; waits a while for one. `short`: without tools and system
 * where an earlier request had the same.
 */
export async function asked(folder: string, short = false): Promise<string> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const open = numbersIn(folder).find((number) => !existsSync(answerFile(folder, number)));
    if (open !== undefined) return `request ${open}\n${short ? shortened(folder, open) : textOf(folder, open)}`;
    if (waited >= WAITS_MS) return 'Nothing is asked.';
    await passed(LOOK_MS);
  }
}

const textOf = (folder: string, number: number): string => readFileSync(requestFile(folder, number), 'utf8');

interface Request {
  readonly tools?: unknown;
  readonly messages: readonly { readonly role: string }[];
}

function shortened(folder: string, number: number): string {
  const read = (one: number): Request => JSON.parse(textOf(folder, one));
  const prefixOf = ({ tools, messages }: Request): string =>
    JSON.stringify([tools, messages.filter(({ role }) => role === 'system')]);
  const request = read(number);
  const same = numbersIn(folder).find((one) => one < number && prefixOf(read(one)) === prefixOf(request));
  if (same === undefined) return textOf(folder, number);
  const messages = request.messages.filter(({ role }) => role !== 'system');
  return JSON.stringify(
    { ...request, tools: `as in request ${same}, and so is the system message`, messages },
    null,
    1,
  );
}

/** `{"text": "…"}`, or `{"calls": [{"name": "…", "arguments": {…}}]}` with a text or without. */
export function say(folder: string, number: string | undefined, said: string): string {
  const at = Number(number);
  if (!numbersIn(folder).includes(at)) return `There is no request ${number}.`;
  const turn: Turn = JSON.parse(said);
  if (turn.text === undefined && turn.calls === undefined) return 'It needs a text or calls.';
  writeWhole(answerFile(folder, at), JSON.stringify(turn));
  return `Answered ${at}.`;
}

function numbersIn(folder: string): number[] {
  if (!existsSync(folderOf(folder))) return [];
  return readdirSync(folderOf(folder))
    .flatMap((name) => (name.endsWith('.request.json') ? [Number.parseInt(name, 10)] : []))
    .toSorted((a, b) => a - b);
}

/** Whoever looks meanwhile sees nothing of it. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
