import { defineTool } from '@standardagents/spec';

export default defineTool({
  description: "Write the day's report into the thread's files and read it again",
  execute: async (state) => {
    await state.mkdirFile('/reports');
    await state.writeFile('/reports/today.txt', 'two bikes\nno rain\n', 'text/plain', { metadata: { day: 1 } });
    await state.writeFile('/reports/map.bin', new Uint8Array([1, 2, 255]), 'application/octet-stream');
    const text = new TextDecoder().decode(await state.readFile('/reports/today.txt'));
    const chunks: number[] = [];
    for await (const chunk of (await state.readFileStream('/reports/map.bin'))!) chunks.push(...chunk.data);
    const stat = await state.statFile('/reports/today.txt');
    const { entries } = await state.readdirFile('/reports');
    const [hit] = await state.grepFiles('rain');
    const stats = await state.getFileStats();
    await state.unlinkFile('/reports/map.bin');
    await state.scheduleEffect('reminders/digest', { to: 'desk' }, 3_600_000);
    const scheduled = await state.getScheduledEffects('reminders/digest');
    return {
      status: 'success',
      result: JSON.stringify({
        text, chunks, size: stat?.size, mimeType: stat?.mimeType, missing: await state.readFile('/none'),
        entries: entries.map((entry) => entry.name).sort(), hit: hit.matches, count: stats.fileCount,
        left: (await state.findFiles('/reports/*')).length, scheduled: scheduled.length,
      }),
      attachments: [await refer(state)],
    };
  },
});

async function refer(state: import('@standardagents/spec').ThreadState) {
  const { path, name, mimeType } = (await state.statFile('/reports/today.txt'))!;
  return { id: 'r1', type: 'file' as const, path, name, mimeType, size: 18 };
}
