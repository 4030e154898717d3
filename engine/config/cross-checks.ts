import { domainToASCII } from 'node:url';
import { nearestOf } from '../lib/text/nearest.ts';
import { EXTENSION_FOLDERS } from './extension-schemas.ts';
import { didYouMean, problem } from './problems/problem.ts';
import type { Configs, ExtensionsConfig, GatewayConfig, InferenceConfig, Problem } from './types.ts';

/** Names that exist besides the files: they come from the extensions that are loaded. */
export interface ExtensionNames {
  readonly providers: ReadonlySet<string>;
  readonly resolvers: ReadonlySet<string>;
}

/** What no schema of one value can see: names that stand twice, a domain that is none. */
export function crossProblems(values: {
  readonly gateway: GatewayConfig | null;
  readonly extensions: ExtensionsConfig | null;
}): Problem[] {
  return [
    ...(values.gateway ? gatewayProblems(values.gateway) : []),
    ...(values.extensions ? listingProblems(values.extensions) : []),
  ];
}

function gatewayProblems(gateway: GatewayConfig): Problem[] {
  const file = 'configs/gateway.json';
  const ids = gateway.mailboxes.map(({ id }) => id);
  const relays = gateway.smtp_listener.trusted_relays.map(({ ip }) => ip.toLowerCase());
  const wrongDomain = domainToASCII(gateway.domain) === '';
  return [
    ...twice(ids).map((index) =>
      problem({
        file,
        key: `mailboxes.${index}.id`,
        code: 'invalid_value',
        message: `two mailboxes have the id "${ids[index]}"`,
        expected: 'an id of its own',
      }),
    ),
    ...twice(relays).map((index) =>
      problem({
        file,
        key: `smtp_listener.trusted_relays.${index}.ip`,
        code: 'invalid_value',
        message: `two relays have the address "${relays[index]}"`,
        expected: 'one relay per IP',
      }),
    ),
    ...(wrongDomain
      ? [problem({ file, key: 'domain', code: 'invalid_value', message: 'is not a domain', expected: 'a domain' })]
      : []),
  ];
}

function listingProblems(listing: ExtensionsConfig): Problem[] {
  return EXTENSION_FOLDERS.flatMap((kind) => {
    const names = listing[kind].map((entry) => (typeof entry === 'string' ? entry : entry.name));
    return twice(names).map((index) =>
      problem({
        file: 'extensions/extensions.json',
        key: `${kind}.${index}`,
        code: 'invalid_value',
        message: `"${names[index]}" is listed twice`,
        expected: 'each name once',
      }),
    );
  });
}

const twice = (names: readonly string[]): number[] =>
  names.flatMap((name, index) => (names.indexOf(name) < index ? [index] : []));

/** Resolvers in the profiles that no loaded extension provides: nobody's context can be built. */
export function unknownResolvers({ context }: Configs, known: ExtensionNames): Problem[] {
  const { by_kind: byKind, ...profiles } = context.profiles;
  const ofKinds = Object.entries(byKind).map(([kind, own]) => {
    const isList = Array.isArray(own);
    return [`by_kind.${kind}${isList ? '' : '.add'}`, isList ? own : own.add] as const;
  });
  return [...Object.entries(profiles), ...ofKinds].flatMap(([profile, calls]) =>
    calls.flatMap((call, index) => {
      const name = call.split('(', 1)[0] ?? call;
      if (known.resolvers.has(name)) return [];
      const nearest = nearestOf(name, known.resolvers);
      const message = `no resolver is called "${name}"${didYouMean(nearest)}`;
      const key = `profiles.${profile}.${index}`;
      return [problem({ file: 'configs/context.json', key, code: 'unknown_resolver', message, nearest })];
    }),
  );
}

/** The provider and the fallbacks of inference.json or of a persona that no loaded extension provides. */
export function unknownProviders(
  inference: {
    readonly provider?: string | null | undefined;
    readonly fallback?: readonly string[] | undefined;
    readonly stages?: InferenceConfig['stages'] | undefined;
  },
  known: ExtensionNames,
  place: { readonly file: string; readonly key: string },
): Problem[] {
  const named = [
    ...(inference.provider ? [{ key: 'provider', name: inference.provider }] : []),
    ...fallbacks('fallback', inference.fallback),
    ...Object.entries(inference.stages ?? {}).flatMap(([stage, { provider, fallback } = {}]) => [
      ...(provider ? [{ key: `stages.${stage}.provider`, name: provider }] : []),
      ...fallbacks(`stages.${stage}.fallback`, fallback),
    ]),
  ];
  return named
    .filter(({ name }) => !known.providers.has(name))
    .map(({ key, name }) => {
      const nearest = nearestOf(name, known.providers);
      const message = `no provider is called "${name}"${didYouMean(nearest)}`;
      return problem({ file: place.file, key: place.key + key, code: 'unknown_provider', message, nearest });
    });
}

const fallbacks = (key: string, ids: readonly string[] = []) =>
  ids.map((id, index) => ({ key: `${key}.${index}`, name: id.split('/', 1)[0] ?? id }));
