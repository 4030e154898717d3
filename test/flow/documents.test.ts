import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epistle, launchGateway, type Program, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const FILES = [
  ...['lease.pdf', 'lo-de.docx', 'xlsxwriter-types.xlsx', 'lease-encrypted.pdf', 'img2pdf-scan.pdf', 'deep.docx'],
  ...['page-loop.pdf', 'truncated.docx', 'sevenzip.zip', 'really-rtf.doc'],
];

const fileOf = (name: string) => readFileSync(new URL(`../engine/documents/files/${name}`, import.meta.url));
const partOf = (name: string) =>
  [
    '--b',
    `Content-Type: application/octet-stream; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    fileOf(name).toString('base64').replace(/.{76}/g, '$&\r\n'),
  ].join('\r\n');
const mailOf = (text: string, id: string, files: readonly string[] = []) =>
  [
    ...[`From: ${OWNER}`, 'To: ada@agents.localhost', `Subject: ${id}`, `Message-ID: <${id}@example.com>`],
    ...['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', '', '--b'],
    ...['Content-Type: text/plain; charset=utf-8', '', text, ...files.map(partOf), '--b--', ''],
  ].join('\r\n');

describe('documents that come with a mail', () => {
  let workspace: TestWorkspace;
  let gateway: Program;
  beforeAll(async () => {
    workspace = makeWorkspace();
    gateway = await launchGateway(workspace.root).ready;
  });
  afterAll(async () => {
    await gateway.kill();
    workspace.remove();
  });

  /** The run of a mail, when it has ended, as `runs show` tells of it. */
  async function shown(id: string, mail: { text: string; files?: readonly string[] }, ...options: readonly string[]) {
    const raw = mailOf(mail.text, id, mail.files);
    await submit(workspace.root, gateway.ready, { from: OWNER, to: 'ada@agents.localhost', raw });
    const runOf = async () => (await epistle(workspace.root, ['why', `<${id}@example.com>`])).json?.entries?.[0]?.run;
    await expect.poll(runOf, { timeout: 90_000 }).toMatchObject({ status: 'done' });
    return (await epistle(workspace.root, ['runs', 'show', (await runOf()).id, ...options])).json;
  }

  it('are said to be readable or not before any call, and are read page by page and part by part', async () => {
    const block = JSON.stringify((await shown('first', { text: 'Look.', files: FILES }, '--prompt')).prompt);
    const lineOf = (name: string) =>
      new RegExp(`\\[attachment (att_\\w+)\\] ${name}, [^,]+, \\d+ bytes([^\\\\]*)`).exec(block);
    const why = Object.fromEntries(FILES.map((name) => [name, lineOf(name)?.[2]]));
    expect(why).toMatchObject({
      'lease.pdf': '',
      'lo-de.docx': '',
      'xlsxwriter-types.xlsx': '',
      'lease-encrypted.pdf': ', unreadable: encrypted: it opens with a password',
      'img2pdf-scan.pdf': ', unreadable: scanned: its 2 pages are pictures without text',
      'deep.docx': ', unreadable: too much is packed into it: its XML is nested too deeply',
      'page-loop.pdf': ', unreadable: broken: none of its pages can be read',
      'truncated.docx': ', unreadable: broken: its archive is damaged or incomplete',
      'sevenzip.zip': '',
      'really-rtf.doc': '',
    });
    expect(block).toContain('(PDF, 2 pages, 3 rows in tables, 298 characters)');
    expect(block).toMatch(/\(Excel workbook, \d+ sheets?, \d+ rows in tables, /);
    expect(block).toContain('(RTF document, ');

    const idOf = (name: string) => lineOf(name)?.[1];
    const calls = [
      { id: idOf('lease.pdf'), page: 2 },
      { id: idOf('lo-de.docx') },
      { id: idOf('sevenzip.zip'), part: 'sub/zahlen.csv' },
      { id: idOf('lease-encrypted.pdf') },
    ];
    const text = calls.map((call) => `/read_attachment ${JSON.stringify(call)}`).join('\n');
    const { run: ended } = await shown('second', { text });
    const results = ended.events
      .filter(({ type }: { type: string }) => type === 'observation')
      .map(({ data }: { data: object }) => JSON.stringify(data));
    expect(results).toHaveLength(4);
    expect(results[0]).toContain('Signed on the second page, Maria Lind.');
    expect(results[0]).toContain('2 of 2');
    expect(results[1]).toContain('Mietvertrag für die Werkstatt');
    expect(results[2]).toContain('zahlen.csv');
    expect(results[3]).toContain('encrypted: it opens with a password');
    expect(gateway.process.exitCode).toBeNull();
  });

  it('of RTF are read with their footnotes, comments and text boxes, and what is left out is said', async () => {
    const block = JSON.stringify((await shown('notes', { text: 'Look.', files: ['notes.rtf'] }, '--prompt')).prompt);
    const id = /\[attachment (att_\w+)\] notes\.rtf/.exec(block)?.[1];
    const { run } = await shown('notes-read', { text: `/read_attachment ${JSON.stringify({ id })}` });
    const seen = JSON.stringify(run.events.find(({ type }: { type: string }) => type === 'observation').data);
    expect(seen).toContain('The rent is 900 EUR[^1] a month, and heating[^2] is extra.');
    expect(seen).toContain('[^1]: From 1 March: 950 EUR.');
    expect(seen).toContain('[^2]: About 80 EUR.');
    expect(seen).toContain('[comment of Ada Lind] Ask for 900 for two years. Then sign.');
    expect(seen).toContain('[text box] Signed copy to Bob.');
    expect(seen.match(/Signed copy to Bob/g)).toHaveLength(1);
    expect(seen).toContain('Its headers and footers were left out.');
    expect(seen).not.toMatch(/shapeType|A header of ours|a picture of the box/);
  });
});
