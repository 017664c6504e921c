import { defineTool } from '@grok/agent-sdk/tools';

/** What `ctx` has, gone through once. */
export default defineTool({
  description: 'Shows what a tool finds in its context.',
  effect: 'write',
  execute: async (_input, ctx) => {
    await ctx.host.kv.set('tour', { n: 1 });
    await ctx.host.files.write('tour.txt', 'seen');
    await ctx.host.reminders.set('air the tyres', { delay: 3_600_000 });
    await ctx.artifacts.write('tag.txt', 'x');
    await ctx.artifacts.tag('tag.txt', 'kept');
    const sent = await ctx.send('post', 'Thank you.', { key: 'tour', agent: 'echo_agent' });
    const forRosa = { principal: 'rosa', attributes: { shop: 2 } };
    const hers = await ctx.send('post', 'For you.', { key: 'rosa', agent: 'echo_agent', auth: forRosa });
    const self = await ctx.getSession('cli', ctx.session.id);
    return {
      session: Object.keys(ctx.session).sort(),
      mode: ctx.session.mode,
      auth: ctx.session.auth,
      sent: [sent.id, hers.id],
      workspace: ctx.workspaceDir.length > 0,
      root: ctx.stateRoot.length > 0,
      value: await ctx.host.kv.get('tour'),
      keys: await ctx.host.kv.list('to'),
      file: new TextDecoder().decode(await ctx.host.files.read('tour.txt')),
      reminders: (await ctx.host.reminders.list()).length,
      kept: await ctx.artifacts.tagged('kept'),
      unknown: self,
    };
  },
});
