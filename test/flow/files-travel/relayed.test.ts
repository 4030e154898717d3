import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARL, MEMBER } from '../governance-rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { carried, inAnswerTo, openAsked, pdf, takesUnproven, wordsOf } from './rig.ts';

type Asked = Awaited<ReturnType<typeof openAsked>>;

describe('files of an answer to a mail that was sent for somebody', () => {
  const rig: { asked?: Asked } = {};
  const asked = () => rig.asked as Asked;
  beforeAll(async () => {
    rig.asked = await openAsked();
  });
  afterAll(() => rig.asked?.close());

  it('come to whoever asked, byte for byte, and every sentence about them is true', async () => {
    const { office, model, sent } = asked();
    const [proof, list] = [pdf('proof.pdf', 'one'), { filename: 'Größen.csv', content: 'a;b\n1;2\n' }];
    await office.post({ from: CARL, ...inAnswerTo(sent), text: 'Here it is.', attachments: [proof, list] });
    const note = await office.arrival('relay', MEMBER);
    expect(carried(note)).toEqual([
      { filename: 'proof.pdf', contentType: 'application/pdf', content: proof.content },
      { filename: 'Größen.csv', contentType: 'text/csv', content: Buffer.from(list.content) },
    ]);
    expect(wordsOf(note)).toContain(
      'These files came with it and are attached here: proof.pdf (19 bytes), Größen.csv (8 bytes).',
    );
    expect(wordsOf(note)).not.toContain('not passed on');
    const shown = model.requests.find(({ view }) => view.lastUser.includes('Here it is.'))?.view.lastUser ?? '';
    expect(shown).toContain('is sent this answer with its attachments by the gateway itself');
  });

  it('that act by themselves or are called like something else are bytes under a plain name', async () => {
    const { office, sent } = asked();
    const cancel = 'BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
    await office.post({
      from: CARL,
      ...inAnswerTo(sent),
      text: 'More of it.',
      attachments: [
        { filename: '../../home/.bashrc', content: 'x', contentType: 'application/octet-stream' },
        { filename: 'page.html', content: '<script>1</script>', contentType: 'text/html' },
        { filename: 'off.ics', content: cancel, contentType: 'text/calendar; method=CANCEL' },
        { filename: 'proof‮fdp.exe', content: 'MZ', contentType: 'application/pdf; x="\r\nBcc: eve@x.example"' },
        { filename: 'proof.pdf', content: 'first', contentType: 'application/pdf' },
        { filename: 'PROOF.pdf', content: 'second', contentType: 'application/pdf' },
      ],
    });
    const note = await office.arrival('relay', MEMBER, 2);
    expect(carried(note).map(({ filename }) => filename)).toEqual([
      'bashrc',
      'page.html',
      'off.ics',
      'prooffdp.exe',
      'proof.pdf',
      'PROOF (2).pdf',
    ]);
    // As they are labelled: the parser goes by names where a type says nothing.
    const labels = [
      ...note.raw
        .toString('latin1')
        .matchAll(/^Content-Type: (?!multipart|text\/plain|text\/html; charset)(\S+?);?\s/gm),
    ];
    const [bytes, paper] = ['application/octet-stream', 'application/pdf'];
    expect(labels.map(([, type]) => type)).toEqual([bytes, bytes, bytes, paper, paper, paper]);
    expect(note.mail.attachments.every(({ contentDisposition }) => contentDisposition === 'attachment')).toBe(true);
    expect(note.envelopeTo).toBe(MEMBER);
    expect(note.raw.toString('latin1')).not.toMatch(/^Bcc:/m);
  });

  it('go along as far as they fit in one mail, and the others are named with the reason', async () => {
    const { office, model, sent } = asked();
    const half = Buffer.alloc(6 * 1024 * 1024, 'a');
    await office.post({
      from: CARL,
      ...inAnswerTo(sent),
      text: 'All that I have.',
      attachments: [
        { filename: 'one.bin', content: half, contentType: 'application/x-one' },
        { filename: 'two.bin', content: half, contentType: 'application/x-two' },
        { filename: 'sealed.p7m', content: 'x', contentType: 'application/pkcs7-mime' },
        { filename: 'small.txt', content: 'small', contentType: 'text/plain' },
      ],
    });
    const note = await office.arrival('relay', MEMBER, 3);
    expect(carried(note).map(({ filename }) => filename)).toEqual(['one.bin', 'small.txt']);
    const words = wordsOf(note);
    expect(words).toContain('attached here: one.bin (6.3 MB), small.txt (5 bytes).');
    expect(words).toContain(
      'I have not attached two.bin (6.3 MB), because all of it together is too large for one mail.',
    );
    expect(words).toContain('which I could not take in, because it is encrypted or too large: sealed.p7m (1 byte).');
    const shown = model.requests.find(({ view }) => view.lastUser.includes('All that I have.'))?.view.lastUser ?? '';
    expect(shown).toContain('with its attachments but for "two.bin", "sealed.p7m" by the gateway');
  });

  it('go to nobody when whoever sends them is not the one who was asked, or cannot be proven', async () => {
    const { office, sent } = asked();
    const before = (await office.left('relay')).length;
    const mail = { ...inAnswerTo(sent), text: 'For you.', attachments: [pdf('evil.pdf', 'evil')] };
    await office.post({ from: 'dora@elsewhere.example', ...mail }).catch(() => {});
    expect(await takesUnproven(asked(), { from: CARL, ...mail })).toBe(false);
    // What he says himself comes next, and nothing else has come.
    await office.post({ from: CARL, ...mail, text: 'Mine.', attachments: [pdf('mine.pdf', 'carl')] });
    const note = await office.arrival('relay', MEMBER, before + 1);
    expect(carried(note).map(({ filename }) => filename)).toEqual(['mine.pdf']);
    for (const { mail: one } of await office.left('reply'))
      expect(one.attachments.map(({ filename }) => filename)).not.toContain('evil.pdf');
  });
});

describe('a gateway that is killed while a file is on its way', () => {
  const open: { asked?: Asked } = {};
  afterEach(() => open.asked?.close());

  it.each(['accept.raw_written', 'accept.committed', 'run.finished', 'relay.told', 'outbox.claimed'])(
    'at %s brings it once',
    async (label) => {
      open.asked = await openAsked();
      const { office, sent } = open.asked;
      const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
      const mail = {
        from: CARL,
        ...inAnswerTo(sent),
        text: 'Here.',
        messageId: '<once@elsewhere.example>',
        date: new Date(),
        attachments: [pdf('proof.pdf', 'once')],
      };
      await office.post(mail).catch(() => {});
      await dying.death();
      await office.restart({});
      // Whoever heard no 250 sends it again.
      await office.post(mail);
      const note = await office.arrival('relay', MEMBER);
      await office.arrival('reply', CARL, 2);
      await vi.waitFor(() => {
        const db = openPersonaDb(office.root, 'ada');
        try {
          expect(db.jobs('relay')).toEqual([]);
        } finally {
          db.close();
        }
      }, 90_000);
      expect(await office.left('relay')).toHaveLength(1);
      expect(carried(note).map(({ content }) => content)).toEqual([pdf('proof.pdf', 'once').content]);
    },
  );
});
