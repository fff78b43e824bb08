/** What is written in one round trip, with more keys and questions for each body than every day. */
process.env.AT_ONCE = 'whole';
await import('../core/services/single-round-trip.test.ts');
