import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../../engine/documents/read.ts';
import { type HeardRequest, type Turn, writtenIn } from '../../fakes/model-script.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { answeredByHand, asked, say } from '../ten-days/by-hand.ts';
import { bytesOf } from './files.ts';
import { type PlaceFile, readPlace } from './place.ts';
import { play } from './play.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-places-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PLACES = readdirSync(fileURLToPath(new URL('../../corpus/places/', import.meta.url)))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

/** Words and figures, as one writing system has them or as fonts of PDFs name the same characters. */
const wordsOf = (text: string): string[] => text.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? [];

/** What the file says, but for its own writing: calendars are told in words, and archives name their files. */
function saidIn({ kind, content }: PlaceFile): string[] {
  if (kind === 'zip') return (content as [string, string][]).flatMap(([name]) => wordsOf(name));
  if (kind === 'ics') return wordsOf(/SUMMARY:(.*)/.exec(String(content))?.[1] ?? '');
  if (kind === 'eml') return wordsOf(String(content).split('\n\n').slice(1).join('\n'));
  return wordsOf(Array.isArray(content) ? content.flat().join(' ') : String(content));
}

describe('files of the places', () => {
  it.each(PLACES)('%s: each is what its name says, and is read with every word', async (which) => {
    const place = readPlace(which);
    for (const file of place.files) {
      const bytes = bytesOf(place, file);
      if (file.kind === 'png') {
        expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
        continue;
      }
      const read = await readDocument({ bytes: new Uint8Array(bytes), name: file.name, type: '' });
      if (!read.ok) throw new Error(`${file.name}: ${read.refusal.message}`);
      const { document } = read;
      expect(document.kind).toBe(file.kind === 'txt' ? 'text' : file.kind);
      const found = new Set(wordsOf([document.text ?? '', ...document.pages.map(({ text }) => text)].join('\n')));
      const said = saidIn(file);
      expect(said.length).toBeGreaterThan(0);
      expect(said.filter((word) => !found.has(word))).toEqual([]);
    }
  });
});

/** Does as it is told in three mails: one that wants a reminder, one about a picture, one that only an owner may answer. */
function scripted(heard: HeardRequest[]): (request: HeardRequest) => Turn {
  return (request) => {
    heard.push(request);
    const { view } = request;
    const mail = writtenIn(view.lastUser);
    if (view.results.length > 0) return { text: 'Listo.' };
    if (mail.includes('calendarios'))
      return {
        calls: [
          {
            name: 'schedule_task',
            arguments: {
              action: 'create',
              task: 'calendarios',
              schedule: 'at 2026-12-11T17:00',
              prompt: 'Recuerda a Amparo que encargue los calendarios del taller.',
            },
          },
        ],
      };
    if (mail.includes('alguna de las dos'))
      return {
        text: 'Buenas, Bernat: Amparo se lo confirma hoy.',
        calls: [{ name: 'ask_owner', arguments: { question: '¿Puedo decirle a Bernat cómo van las dos bicis?' } }],
      };
    return { text: 'Abrimos los sábados 5, 12 y 19: 18 plazas.' };
  };
}

describe('a place that is played', () => {
  it('has its earlier mail on record, works its mails one by one, and says of each what became of it', async () => {
    const heard: HeardRequest[] = [];
    const records = await play(readPlace('bicis'), {
      folder,
      only: ['m3', 'm4', 'm7'],
      answer: scripted(heard),
    });
    const [reminder, picture, question] = records;
    expect(records.map(({ mail, kind }) => [mail.id, mail.role, kind])).toEqual([
      ['m3', 'owner', 'remind'],
      ['m4', 'owner', 'attachment'],
      ['m7', 'known', 'table_fact'],
    ]);
    expect(reminder).toMatchObject({
      model_calls: 2,
      requests: { from: 1, to: 2 },
      requests_beside_the_run: 0,
      calls: [{ name: 'schedule_task', state: 'ok', verdict: 'allow' }],
      questions_to_owners: [],
      send_backs: [],
      effects_wanted: [{ tool: 'schedule_task' }],
      runs: [{ tier: 'owner', status: 'done', outcome: 'final' }],
    });
    expect(reminder?.mailed).toMatchObject([
      { kind: 'reply', to: 'amparo@pinonlibre.example', subject: 'Re: recordar' },
    ]);
    const [answer] = reminder?.mailed ?? [];
    expect(answer?.text).toContain('Listo.');
    // The receipt, which the model has not written.
    expect(answer?.lines_of_the_gateway.join('\n')).toContain('11');
    expect(answer?.lines_of_the_gateway).not.toContain('Listo.');

    expect(picture?.model_calls).toBe(1);
    expect(heard.flatMap(({ view }) => view.images)).toContain(
      bytesOf(readPlace('bicis'), readPlace('bicis').files[1] as PlaceFile).toString('base64'),
    );

    expect(question?.questions_to_owners).toMatchObject([{ tool: 'ask_owner', state: 'pending' }]);
    expect(question?.calls).toMatchObject([{ name: 'ask_owner', state: 'waits' }]);
    // What the model says beside its question leaves at once.
    expect(question?.mailed.map(({ kind, to }) => [kind, to])).toEqual([
      ['reply', 'flota@reparto-alondra.example'],
      ['clarify', 'amparo@pinonlibre.example'],
    ]);
    // What Bernat and the persona wrote in November, with its day.
    const shown = JSON.stringify(heard.at(-1)?.body);
    expect(shown).toContain('haremos la revisión de las dos bicis de carga a final de mes');
    expect(shown).toContain('que empieza la campaña');
    expect(shown).toContain('2 Nov');
    const { input, uncached } = question?.tokens ?? { input: 0, uncached: 0 };
    expect(input).toBeGreaterThan(uncached);
    expect(uncached).toBeGreaterThan(0);

    const kept = JSON.parse(readFileSync(join(folder, 'record/m7.json'), 'utf8'));
    expect(kept).toEqual(JSON.parse(JSON.stringify(question)));
    expect(readdirSync(join(folder, 'tools')).toSorted()).toEqual(['known.json', 'member.json', 'owner.json']);
  });
});

describe('a model that is played by hand', () => {
  it('is shown what the vendor gets, with pictures as files, and the same tools once', async () => {
    const stage = join(folder, 'by-hand');
    const model = await startFakeModel('openai', (request) => answeredByHand(stage, request));
    const request = (text: string) =>
      fetch(`${model.baseUrl}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({
          model: 'm',
          tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
          messages: [
            { role: 'system', content: 'You answer mail.' },
            {
              role: 'user',
              content: [
                { type: 'text', text },
                {
                  type: 'image_url',
                  image_url: { url: `data:image/png;base64,${Buffer.from('seen').toString('base64')}` },
                },
              ],
            },
          ],
        }),
      });
    try {
      const first = request('one');
      const shown = await asked(stage, true);
      expect(shown).toMatch(/^request 1\n/);
      expect(shown).toContain('You answer mail.');
      const path = /the picture ([^"]+)/.exec(shown)?.[1] ?? '';
      expect(readFileSync(path, 'utf8')).toBe('seen');
      expect(say(stage, '1', '{"text": "yes"}')).toBe('Answered 1.');
      expect(await (await first).json()).toMatchObject({ choices: [{ message: { content: 'yes' } }] });

      const second = request('two');
      const next = await asked(stage, true);
      expect(next).toContain('as in request 1');
      expect(next).toContain('two');
      expect(next).not.toContain('You answer mail.');
      expect(await asked(stage)).toContain('You answer mail.');
      say(stage, '2', '{"text": "done"}');
      await second;
    } finally {
      await model.stop();
    }
  });
});
