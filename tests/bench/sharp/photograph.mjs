// photograph.mjs FILE WIDTH HEIGHT: writes a JPEG as a camera does: soft shapes with the noise of a sensor.
import sharp from 'sharp';

const [file, width, height] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const pixels = Buffer.alloc(width * height * 3);
let seed = 7;
for (let y = 0; y < height; ++y) {
  for (let x = 0; x < width; ++x) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const noise = (seed >>> 28) - 8;
    const at = 3 * (y * width + x);
    pixels[at] = 128 + 100 * Math.sin(x / 301) + noise;
    pixels[at + 1] = 128 + 100 * Math.sin(y / 407 + x / 911) + noise;
    pixels[at + 2] = 128 + 100 * Math.cos((x + y) / 613) + noise;
  }
}
await sharp(pixels, { raw: { width, height, channels: 3 } }).jpeg({ quality: 90 }).toFile(file);
console.log(JSON.stringify({ width, height }));
