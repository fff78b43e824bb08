/** Every operation of the description of the API, many times, of which the daily run calls a part. */
process.env.OPENAPI_CALLS = 'whole';
await import('../edge/openapi/operations.test.ts');
