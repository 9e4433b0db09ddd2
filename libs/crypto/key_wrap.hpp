// Wraps the keys of subjects before they are stored, under a key that lies outside the database:
// who has the database, or a backup of it, reads no text with that alone.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "crypto/key_folder.hpp"
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

// By keys in files of one folder: the last wraps, all unwrap. The folder is read again when a key
// is met that was wrapped by one that is not known. XChaCha20-Poly1305, bound to the subject.
class FileKeyWrap final : public KeyWrap {
 public:
  // As KeyFolder::load().
  static core::Result<std::unique_ptr<FileKeyWrap>> load(std::filesystem::path folder);

  core::Result<std::string> wrap(const core::AccountId& subject, const SubjectKey& key) override;
  core::Result<SubjectKey> unwrap(const core::AccountId& subject, std::string_view stored) override;
  bool is_current(std::string_view stored) override;

 private:
  explicit FileKeyWrap(std::unique_ptr<KeyFolder> keys) : keys_(std::move(keys)) {}
  core::Result<SubjectKey> key_of(const std::string& id);

  const std::unique_ptr<KeyFolder> keys_;
};

}  // namespace tideline::crypto
