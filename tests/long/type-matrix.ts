/** Every operator on every type of PostgreSQL with all values, of which the daily run takes a part. */
process.env.TYPE_MATRIX = 'whole';
await import('../feature/type-matrix.test.ts');
