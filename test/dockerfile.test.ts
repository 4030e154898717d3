import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemSchema } from '../engine/config/schemas.ts';
import { commandBelow, foldersOf, readDockerfile } from '../scripts/lib/package/dockerfile.ts';
import { root } from './house/sources.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const stages = readDockerfile(read('Dockerfile'));
const last = stages.at(-1)?.steps ?? [];

describe('the Dockerfile', () => {
  it('runs on the Node that the package asks for', () => {
    const { engines } = JSON.parse(read('package.json'));
    const [, least] = /^>=(\d+)$/.exec(engines.node) ?? [];
    expect(stages.map(({ image }) => image)).toEqual(Array(2).fill(`node:${least}-bookworm-slim`));
  });

  it('ends as a user without rights, with a volume, a health check and a command that lets the signal through', () => {
    const [user] = last.flatMap((step) => (step.do === 'USER' ? [step.value] : []));
    expect(user).toBe('node');
    expect(last.map((step) => step.do)).toEqual(expect.arrayContaining(['LABEL', 'VOLUME', 'HEALTHCHECK', 'CMD']));
    expect(last).toContainEqual({ do: 'STOPSIGNAL', signal: 'SIGTERM' });
    expect(last.find((step) => step.do === 'CMD')).toMatchObject({
      command: expect.stringMatching(/exec epistle start$/),
    });
  });

  it('keeps its workspace where compose.yaml has a volume', () => {
    const [volume] = last.flatMap((step) => (step.do === 'VOLUME' ? [step.value] : []));
    expect(read('compose.yaml')).toContain(`- mail:${volume}\n`);
  });
});

describe('compose.yaml', () => {
  it('is called as the guide says, by the name of its service', () => {
    const told = read('docs/workspace.md').match(/^docker compose .*$/gm) ?? [];
    expect(told.length).toBe(2);
    expect(told.filter((line) => !read('compose.yaml').includes(`# ${line}`))).toEqual([]);
    expect(read('compose.yaml')).toMatch(/^ {2}gateway:$/m);
  });
});

describe('compose.console.yaml', () => {
  it('publishes the proxy alone, under the name and the port that the gateway is told of', () => {
    const text = read('compose.console.yaml');
    const { services } = parse(text);
    expect([services.gateway.ports, services.proxy.ports]).toEqual([undefined, ['80:80', '443:443']]);
    const [, settings = '{}'] = /^# {3}(\{.*\})$/m.exec(text) ?? [];
    const { console: told } = systemSchema.parse(JSON.parse(settings));
    expect(services.proxy.command).toBe(
      `caddy reverse-proxy --from ${new URL(told.public_url ?? '').hostname} --to gateway:${told.port}`,
    );
    expect(services.gateway.expose).toEqual([String(told.port)]);
  });
});

describe('a step that cannot be done without Docker', () => {
  it.each([
    ['another instruction', 'FROM a\nARG x=1'],
    ['a command that is no shell’s', 'FROM a\nCMD ["epistle", "start"]'],
    ['one before FROM', 'RUN true'],
    ['a variable in the old form', 'FROM a\nENV A 1'],
    ['a signal that there is not', 'FROM a\nSTOPSIGNAL SIGNONE'],
  ])('is refused: %s', (_what, text) => {
    expect(() => readDockerfile(text)).toThrow();
  });

  it('is refused where it touches a folder that the Dockerfile does not make', () => {
    const folders = foldersOf(readDockerfile('FROM a\nWORKDIR /work\nCOPY --from=b /packed /packed\nVOLUME /data'));
    expect(folders).toEqual(['/work', '/packed', '/data']);
    expect(commandBelow('install /packed/*.tgz && ls /work', '/tmp/x y', folders)).toBe(
      'install "/tmp/x y"/packed/*.tgz && ls "/tmp/x y"/work',
    );
    expect(() => commandBelow('rm -rf /etc', '/tmp/x', folders)).toThrow(/\/etc/);
    expect(() => commandBelow('rm -rf /workshop', '/tmp/x', folders)).toThrow(/workshop/);
  });
});
