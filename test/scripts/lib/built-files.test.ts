import { describe, expect, it } from 'vitest';
import { builtManifest, builtModule, builtPackage, builtTypes } from '../../../scripts/lib/built-files.ts';

describe('a built module', () => {
  it('starts its workers from built files', () => {
    expect(builtModule("new Worker(new URL('./parse-worker.ts', import.meta.url));")).toBe(
      "new Worker(new URL('./parse-worker.js', import.meta.url));",
    );
    expect(builtModule('import.meta.resolve("../contract/index.ts")')).toBe(
      'import.meta.resolve("../contract/index.js")',
    );
  });

  it('keeps every other mention of a .ts file', () => {
    const text = "const template = 'index.ts'; new URL('https://example.com/a.ts'); if (name.endsWith('.ts')) load();";
    expect(builtModule(text)).toBe(text);
  });
});

describe('built declarations', () => {
  it('point at the files beside them', () => {
    expect(builtTypes('export { a } from \'./a.ts\';\ntype B = import("./b.ts").B;')).toBe(
      'export { a } from \'./a.js\';\ntype B = import("./b.js").B;',
    );
  });
});

describe('a built manifest', () => {
  it('names the built entry and keeps the rest', () => {
    const built: unknown = JSON.parse(builtManifest('{"name":"a","entry":"index.ts","config":{"x":1}}'));
    expect(built).toEqual({ name: 'a', entry: 'index.js', config: { x: 1 } });
  });

  it('without code stays as it is', () => {
    const built: unknown = JSON.parse(builtManifest('{"name":"groq","adapter":"openai-compatible"}'));
    expect(built).toEqual({ name: 'groq', adapter: 'openai-compatible' });
  });

  it('that is no manifest stops the build', () => {
    expect(() => builtManifest('{"entry": 3}')).toThrow();
    expect(() => builtManifest('not json')).toThrow();
  });
});

describe('the package.json of dist/', () => {
  it('keeps name and version, for code that reads them by its own place', () => {
    expect(JSON.parse(builtPackage('{"name":"epistle","version":"1.2.3","scripts":{"start":"x"}}'))).toEqual({
      name: 'epistle',
      version: '1.2.3',
      type: 'module',
      imports: { '#contract': './engine/contract/index.js', '#contract/http': './engine/contract/http/index.js' },
      exports: { './contract': './engine/contract/index.js', './contract/http': './engine/contract/http/index.js' },
    });
  });
});
