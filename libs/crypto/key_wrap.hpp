// Wraps the keys of subjects before they are stored, under a key that lies outside the database:
// who has the database, or a backup of it, reads no text with that alone.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "crypto/subject_keys.hpp"

namespace tideline::crypto {

// The port: files, or the key management of a cloud. Thread-safe.
class KeyWrap {
 public:
  virtual ~KeyWrap() = default;

  // Bytes that say which key has wrapped them. Errors are those of where that key lies.
  virtual core::Result<std::string> wrap(const core::AccountId& subject, const SubjectKey& key) = 0;
  // InvalidInput: of another subject, or damaged; NotFound: the key that has wrapped it is not
  // there. A key of 32 bytes was stored before keys were wrapped: it is itself.
  virtual core::Result<SubjectKey> unwrap(const core::AccountId& subject,
                                          std::string_view stored) = 0;
  // Whether it is wrapped by the key that wraps now.
  virtual bool is_current(std::string_view stored) = 0;
};

// Stores keys as they are.
class NoKeyWrap final : public KeyWrap {
 public:
  core::Result<std::string> wrap(const core::AccountId& subject, const SubjectKey& key) override;
  core::Result<SubjectKey> unwrap(const core::AccountId& subject, std::string_view stored) override;
  bool is_current(std::string_view) override { return true; }
};

// Keys in files of one folder, `<id>.key`, each 64 hexadecimal characters: the last by its name
// wraps, all unwrap. The folder is read again when a key is met that was wrapped by one that is not
// known, so that a process that runs learns of a new one. XChaCha20-Poly1305, bound to the subject.
class FileKeyWrap final : public KeyWrap {
 public:
  // Blocks on the files. NotFound: none is there; InvalidInput: one holds something else, or has an
  // id that is longer than 64 characters.
  static core::Result<std::unique_ptr<FileKeyWrap>> load(std::filesystem::path folder);

  core::Result<std::string> wrap(const core::AccountId& subject, const SubjectKey& key) override;
  core::Result<SubjectKey> unwrap(const core::AccountId& subject, std::string_view stored) override;
  bool is_current(std::string_view stored) override;

 private:
  using Keys = std::map<std::string, SubjectKey, std::less<>>;

  FileKeyWrap(std::filesystem::path folder, Keys keys)
      : folder_(std::move(folder)), keys_(std::move(keys)) {}
  static core::Result<Keys> read(const std::filesystem::path& folder);
  std::optional<SubjectKey> key_of(const std::string& id);

  const std::filesystem::path folder_;
  std::mutex mutex_;
  Keys keys_;
};

}  // namespace tideline::crypto
