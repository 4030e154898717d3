import { z } from 'zod';

/** What only a person can say of a package before others get it; empty until somebody has. */
export const FIELDS = z.strictObject({
  /** https address of the repository, as it is cloned. */
  repository: z.union([z.literal(''), z.url({ protocol: /^https$/ })]),
  homepage: z.union([z.literal(''), z.url({ protocol: /^https$/ })]),
  /** Where faults are reported. */
  bugs: z.union([z.literal(''), z.url({ protocol: /^https$/ })]),
  author: z.string(),
});

export type Fields = z.infer<typeof FIELDS>;
type Manifest = Readonly<Record<string, unknown>> & { readonly version: string };

export const missingIn = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value.trim() === '' ? [name] : []));

/** The manifest with what was filled. npm refuses to publish what is private: it is that until nothing is missing. Pure. */
export function withFields(manifest: Manifest, fields: Fields): Manifest {
  const { private: _, repository: _1, homepage: _2, bugs: _3, author: _4, name, version, ...rest } = manifest;
  const filled = (key: keyof Fields, value: unknown) => (fields[key].trim() === '' ? {} : { [key]: value });
  return {
    name,
    version,
    ...(missingIn(fields).length > 0 ? { private: true } : {}),
    ...filled('repository', { type: 'git', url: `git+${fields.repository}` }),
    ...filled('homepage', fields.homepage),
    ...filled('bugs', { url: fields.bugs }),
    ...filled('author', fields.author),
    ...rest,
  };
}

/** What keeps the package from being published; empty: nothing does. Pure. */
export function problemsOf(manifest: Manifest, fields: Fields, tag: string | null): readonly string[] {
  const isWritten = JSON.stringify(manifest) === JSON.stringify(withFields(manifest, fields));
  return [
    ...missingIn(fields).map((name) => `${name} is empty in publishing.json`),
    ...(isWritten ? [] : ['package.json is not as publishing.json says; run `node scripts/publishing.ts`']),
    ...(tag === null || tag === `v${manifest.version}`
      ? []
      : [`the tag is ${tag}, and the version of package.json ${manifest.version}`]),
  ];
}
