// renditions.mjs FILE SECONDS: the same sizes by sharp, one picture after another on one thread. Prints {"ms", "peak_mib"}.
import { readFileSync } from 'node:fs';
import sharp from 'sharp';

const [file, seconds] = process.argv.slice(2);
sharp.concurrency(1);
sharp.cache(false);
const bytes = readFileSync(file);
const deadline = Date.now() + Number(seconds) * 1000;
const started = Date.now();
let made = 0;
while (Date.now() < deadline || made === 0) {
  const large = sharp(bytes).rotate().resize(2048, 2048, { fit: 'inside', withoutEnlargement: true });
  const { data, info } = await large.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const raw = { raw: { width: info.width, height: info.height, channels: info.channels } };
  await sharp(data, raw).webp({ quality: 82, effort: 4 }).toBuffer();
  for (const side of [640, 160]) {
    await sharp(data, raw).resize(side, side, { fit: 'inside' }).webp({ quality: 82, effort: 4 }).toBuffer();
  }
  made += 1;
}
const peak = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ms: (Date.now() - started) / made, peak_mib: peak }));
