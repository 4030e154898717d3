import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { validatorOf } from '../../../../engine/extensions/loading/validator.ts';

describe('arguments of a tool with a zod schema', () => {
  const schema = z.object({ query: z.string().min(1), limit: z.int().default(5) });

  it('are checked, with defaults filled in and the original left alone', async () => {
    const { validate, jsonSchema } = await validatorOf(schema, 'input');
    const args = { query: 'x' };
    expect(validate(args)).toEqual({ ok: true, value: { query: 'x', limit: 5 } });
    expect(args).toEqual({ query: 'x' });
    expect(jsonSchema).toMatchObject({ type: 'object', required: ['query'] });
    expect(jsonSchema).not.toHaveProperty('$schema');
  });

  it.each([[null], [[]], ['text'], [{}], [{ query: 7 }], [{ query: 'x', limit: 1.5 }]])(
    '%j are refused in words',
    async (args) => {
      const { validate } = await validatorOf(schema, 'input');
      expect(validate(args)).toEqual({ ok: false, message: expect.stringMatching(/\w+/) });
    },
  );

  it('are refused when a refinement throws or is asynchronous', async () => {
    const throwing = z.object({
      a: z.string().refine(() => {
        throw new Error('mine');
      }),
    });
    const late = z.object({ a: z.string().refine(async () => true) });
    expect((await validatorOf(throwing, 'input')).validate({ a: '' })).toMatchObject({ ok: false });
    expect((await validatorOf(late, 'input')).validate({ a: '' })).toMatchObject({ ok: false });
  });

  it('that no JSON Schema can show do not load', async () => {
    await expect(validatorOf(z.object({ when: z.date() }), 'input')).rejects.toMatchObject({
      code: 'extension_invalid',
    });
  });
});

describe('arguments of a tool with a plain JSON Schema', () => {
  const schema = {
    type: 'object',
    properties: {
      to: { type: 'array', items: { type: 'string', format: 'email' } },
      limit: { type: 'integer', default: 5 },
    },
    required: ['to'],
    additionalProperties: false,
  };

  it.each([['https://json-schema.org/draft/2020-12/schema'], ['http://json-schema.org/draft-07/schema#'], [undefined]])(
    'are checked in the dialect %s',
    async ($schema) => {
      const { validate } = await validatorOf($schema ? { ...schema, $schema } : schema, 'input');
      const args = { to: ['a@example.com'] };
      expect(validate(args)).toEqual({ ok: true, value: { to: ['a@example.com'], limit: 5 } });
      expect(args).toEqual({ to: ['a@example.com'] });
      expect(validate({ to: ['nobody'] })).toEqual({ ok: false, message: expect.stringContaining('/to/0') });
    },
  );

  it('show everything that is wrong, in bounds', async () => {
    const { validate } = await validatorOf(schema, 'input');
    const refused = validate({ limit: 'x', other: 1 });
    if (refused.ok) throw new Error('these arguments are wrong');
    for (const word of ['to', 'limit', 'other']) expect(refused.message).toContain(word);
    const many = validate({ to: Array.from({ length: 10_000 }, () => 7) });
    if (many.ok) throw new Error('these arguments are wrong');
    expect(many.message.length).toBeLessThanOrEqual(2000);
  });

  it('with a prototype in them change nothing outside', async () => {
    const { validate } = await validatorOf({ type: 'object' }, 'input');
    validate(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});
